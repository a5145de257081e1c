"""Validates results and errors of the MCP endpoint with the official schema of each revision.

    python3 answers.py URL
"""

import json
import sys
import urllib.error
import urllib.request

import jsonschema

from schema import NEWEST, REVISIONS, Schema

URL = sys.argv[1]
NEW = NEWEST
META = "io.modelcontextprotocol/"

HANDSHAKE = {"protocolVersion": None, "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}


def calls(revision: str):
    """Returns method, parameters, and the name of the result's schema; `None` if an error is expected."""
    page = f"{URL}/en/team.md"
    if revision == NEW:
        yield "server/discover", {}, "DiscoverResult"
        yield "initialize", HANDSHAKE, None
        yield "ping", {}, None
    else:
        yield "initialize", {**HANDSHAKE, "protocolVersion": revision}, "InitializeResult"
        yield "ping", {}, "EmptyResult"
        yield "server/discover", {}, None
    yield "tools/list", {}, "ListToolsResult"
    yield "tools/list", {"cursor": "x"}, None
    yield "resources/list", {}, "ListResourcesResult"
    yield "resources/list", {"cursor": "x"}, None
    yield "resources/templates/list", {}, "ListResourceTemplatesResult"
    yield "resources/read", {"uri": page}, "ReadResourceResult"
    yield "resources/read", {"uri": f"{URL}/nothing.md"}, None
    yield "resources/read", {}, None
    yield "skills/list", {}, "Result"
    yield "skills/get", {"uri": "skill://firm-content/SKILL.md"}, "Result"
    yield "skills/get", {"uri": "skill://nothing/SKILL.md"}, None
    yield "prompts/list", {}, "ListPromptsResult"
    yield "prompts/get", {"name": "find_lawyer", "arguments": {"matter": "tax"}}, "GetPromptResult"
    yield "prompts/get", {"name": "nothing"}, None
    template = f"{URL}/{{locale}}/{{section}}/{{slug}}.md"
    reference = {"type": "ref/resource", "uri": template}
    yield "completion/complete", {"ref": reference, "argument": {"name": "slug", "value": ""}}, "CompleteResult"
    yield "completion/complete", {}, None
    for name, arguments in (
        ("list_practice_areas", {}), ("list_team", {"locale": "tr"}), ("list_publications", {"limit": 2}),
        ("get_global_network", {"locale": "tr"}), ("get_contact", {}), ("search", {"query": "tax"}), ("search", {}),
        ("fetch", {"id": "/en/team"}), ("fetch", {"id": "nothing"}), ("get_page_markdown", {"url": "/tr", "max_chars": 500}),
        ("get_page_markdown", {"url": "https://elsewhere.example"}),
    ):
        yield "tools/call", {"name": name, "arguments": arguments}, "CallToolResult"
    yield "tools/call", {"name": "nothing"}, None
    yield "logging/setLevel", {"level": "info"}, None


def ask(revision: str, method: str, params: dict) -> dict:
    fields = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    if revision == NEW:
        params = {**params, "_meta": {META + "protocolVersion": NEW, META + "clientCapabilities": {}}}
        fields |= {"MCP-Protocol-Version": NEW, "Mcp-Method": method}
        subject = params.get("uri") if method == "resources/read" else params.get("name")
        fields |= {"Mcp-Name": subject} if subject else {}
    elif method != "initialize" and revision > "2025-03-26":
        fields["MCP-Protocol-Version"] = revision
    body = json.dumps({"jsonrpc": "2.0", "id": "a-1", "method": method, "params": params}).encode()
    request = urllib.request.Request(URL + "/mcp", body, fields)
    try:
        with urllib.request.urlopen(request, timeout=120) as reply:
            return json.load(reply)
    except urllib.error.HTTPError as error:
        return json.load(error)


def judge(revision: str) -> tuple[int, list[str]]:
    schema, count, findings, outputs = Schema(revision), 0, [], {}
    for method, params, result in calls(revision):
        count += 1
        answer = ask(revision, method, params)
        if result is None:
            faults = schema.faults(schema.name("JSONRPCErrorResponse", "JSONRPCError"), answer)
        else:
            faults = schema.faults(schema.name("JSONRPCResultResponse", "JSONRPCResponse"), answer)
            faults += schema.faults(result, answer.get("result"))
        findings += [f"{revision} {method} {json.dumps(params)[:80]}: {fault}" for fault in faults]
        if method == "tools/list" and result:
            outputs = {tool["name"]: jsonschema.Draft202012Validator(tool["outputSchema"]) for tool in answer["result"]["tools"]}
            for tool in answer["result"]["tools"]:
                for side in ("inputSchema", "outputSchema"):
                    jsonschema.Draft202012Validator.check_schema(tool[side])
        structured = answer.get("result", {}).get("structuredContent")
        if structured is not None:
            for error in outputs[params["name"]].iter_errors(structured):
                findings.append(f"{revision} {params['name']}: does not match its output schema: {error.message[:200]}")
    return count, findings


status = 0
for revision in REVISIONS:
    count, findings = judge(revision)
    print(f"{'FAIL' if findings else 'ok  '}  {revision}: {count} answers")
    for finding in findings:
        status = 1
        print("      " + finding)
sys.exit(status)
