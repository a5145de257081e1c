"""The Python client of the Model Context Protocol against a served build: with its defaults, and in a long run with a handshake too.

    python3 client.py URL [--brief]

With --brief it lists the tools and calls one.
"""

import asyncio
import json
import pathlib
import sys
import urllib.request

from mcp import Client

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from extent import IS_LONG, PATIENCE  # noqa: E402: the folder above is not that of a package

URL, BRIEF = sys.argv[1], "--brief" in sys.argv


def get(path: str) -> str:
    with urllib.request.urlopen(URL + path, timeout=PATIENCE) as reply:
        return reply.read().decode()


async def judge(mode: str) -> str:
    async with Client(URL + "/mcp", mode=mode) as client:
        tools = (await client.list_tools()).tools
        assert len(tools) == 8, tools
        if BRIEF:
            result = await client.call_tool("list_team", {"locale": "tr"})
            assert result.structured_content == json.loads(get("/api/v1/team?locale=tr"))
            return f"{client.protocol_version}, {len(tools)} tools"
        for locale in ("en", "tr"):
            for name, path in (("list_team", "team"), ("list_publications", "publications"), ("get_contact", "contact")):
                result = await client.call_tool(name, {"locale": locale})
                body = get(f"/api/v1/{path}?locale={locale}")
                assert result.content[0].text == body, name
                assert result.structured_content == json.loads(body), name
        found = await client.call_tool("search", {"query": "veri koruma", "locale": "tr"})
        first = found.structured_content["results"][0]
        document = await client.call_tool("fetch", {"id": first["id"]})
        assert document.structured_content["url"] == first["url"]
        resources = (await client.list_resources()).resources
        for resource in resources[:10]:
            contents = (await client.read_resource(resource.uri)).contents
            assert contents[0].text == get(str(resource.uri).removeprefix(URL)), resource.uri
        prompts = (await client.list_prompts()).prompts
        prompt = await client.get_prompt(prompts[0].name, {prompts[0].arguments[0].name: "İş"})
        assert "İş" in prompt.messages[0].content.text
        return f"{client.protocol_version}, {len(tools)} tools, {len(resources)} resources, {len(prompts)} prompts"


failed = False
for mode in ("auto", "legacy", "2026-07-28") if IS_LONG else ("auto",):
    try:
        print(f"ok    python, {mode}: {asyncio.run(asyncio.wait_for(judge(mode), 2 * PATIENCE))}")
    except Exception as error:  # noqa: BLE001: every error of a client is a finding
        failed = True
        print(f"FAIL  python, {mode}: {error!r}")
sys.exit(failed)
