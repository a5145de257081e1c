"""Validates every recorded response with the official schema of its revision.

    python3 recorded.py FILE

Two kinds of responses are not in the schemas: refusals before the body is read, which are those of the whole site, and
errors about a message whose identifier could not be read, which JSON-RPC 2.0 gives the identifier null.
"""

import collections
import json
import re
import sys

import jsonschema

from schema import NEWEST, REVISIONS, Schema

META = "io.modelcontextprotocol/protocolVersion"
RESULTS = {
    "initialize": "InitializeResult", "ping": "EmptyResult", "server/discover": "DiscoverResult",
    "tools/list": "ListToolsResult", "tools/call": "CallToolResult", "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult", "resources/read": "ReadResourceResult",
    # Skills are an extension, without a schema: what every result has, and below what SEP-2640 requires.
    "skills/list": "Result", "skills/get": "Result",
    "prompts/list": "ListPromptsResult", "prompts/get": "GetPromptResult", "completion/complete": "CompleteResult",
}
SCHEMAS = {revision: Schema(revision) for revision in REVISIONS}
counts, findings = collections.Counter(), []


def parsed(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def revision_of(line, asked, answer):
    """Returns the revision of a response; without a name it is 2025-03-26."""
    message = asked if isinstance(asked, dict) else {}
    params = message.get("params") if isinstance(message.get("params"), dict) else {}
    meta = params.get("_meta") if isinstance(params.get("_meta"), dict) else {}
    if meta.get(META) in REVISIONS:
        return meta[META]
    if message.get("method") == "initialize" and isinstance(answer, dict) and "result" in answer:
        return answer["result"]["protocolVersion"]
    named = [revision for revision in line["revisions"] if revision in REVISIONS]
    return named[0] if named else "2025-03-26"


def judge(revision, message, answer):
    schema, method = SCHEMAS[revision], message.get("method") if isinstance(message, dict) else None
    if "error" in answer:
        counts[revision, "errors"] += 1
        if answer.get("id", 0) is None:
            counts[revision, "of them without identifier"] += 1
            answer = {**answer, "id": 0}
        return schema.faults(schema.name("JSONRPCErrorResponse", "JSONRPCError"), answer)
    counts[revision, "results"] += 1
    faults = schema.faults(schema.name("JSONRPCResultResponse", "JSONRPCResponse"), answer)
    if method not in RESULTS:
        return [*faults, f"a result of {method}, which is in no table"]
    faults += schema.faults(RESULTS[method], answer.get("result"))
    if method in ("skills/list", "skills/get"):
        faults += skill_faults(revision, method, answer["result"])
    if method == "tools/list":
        for tool in answer["result"]["tools"]:
            outputs[tool.get("name")] = tool.get("outputSchema", {})
    structured = answer["result"].get("structuredContent") if method == "tools/call" else None
    if structured is not None:
        called.append((message["params"]["name"], structured))
    return faults


def skill_faults(revision, method, result):
    entries = result["skills"] if method == "skills/list" else [result["skill"]]
    for entry in entries:
        front, files = entry["frontmatter"], entry["resources"]
        if entry["uri"] != f"skill://{front['name']}/SKILL.md" or not front["description"]:
            yield f"the address of a skill is {entry['uri']}, its front matter {front}"
        if not any(file["uri"] == entry["uri"] for file in files):
            yield f"{entry['uri']} lacks its own text"
        for file in files:
            if not re.fullmatch("sha256:[0-9a-f]{64}", file["digest"]) or file["size"] < 1:
                yield f"{entry['uri']}: {file}"
    if method == "skills/list" and ("ttlMs" in result) != (revision == NEWEST):
        yield f"cache attributes at {revision}: {sorted(result)}"


outputs, called = {}, []
for line in map(json.loads, open(sys.argv[1], encoding="utf-8")):
    asked, answer = parsed(line["asked"]), parsed(line["answer"])
    if line["answer"] == "":
        counts["", "nothing to say"] += 1
        continue
    if isinstance(answer, dict) and answer.get("jsonrpc") is None:
        # A refusal of the site, before the endpoint.
        counts["", "refused before the body"] += 1
        faults = [f"no {name}" for name in ("error", "message", "resolution") if not isinstance(answer.get(name), str)]
    else:
        revision = revision_of(line, asked, answer)
        if revision not in SCHEMAS:
            # An older revision; its results are those of the oldest that is listed.
            revision = REVISIONS[-1]
        answers = answer if isinstance(answer, list) else [answer]
        if isinstance(asked, list):
            by_id = {json.dumps(one.get("id")): one for one in asked if isinstance(one, dict)}
            pairs = [(by_id.get(json.dumps(one.get("id")), {}), one) for one in answers]
        else:
            pairs = [(asked, one) for one in answers]
        faults = [fault for message, one in pairs for fault in judge(revision, message, one)]
    findings += [f"{line['asked'][:120]}: {fault}" for fault in faults]
validators = {name: jsonschema.Draft202012Validator(schema) for name, schema in outputs.items()}
for name, structured in called:
    for error in validators[name].iter_errors(structured):
        findings.append(f"{name}: does not match its output schema: {error.message[:200]}")
for (revision, what), count in sorted(counts.items()):
    print(f"{revision or 'any':>10}  {count:5} {what}")
for finding in findings[:40]:
    print("FAIL  " + finding)
judged = {revision for revision, _ in counts if revision}
missing = {NEWEST, "2025-11-25"} - judged
for revision in missing:
    print(f"FAIL  nothing was recorded at {revision}")
print(f"{sum(counts.values())} answers, {len(called)} structured results, {len(findings)} findings")
sys.exit(bool(findings or missing))
