"""The Python client of the Model Context Protocol against a served build: with its defaults, and in a long run with a handshake too.

    python3 client.py URL [--brief]

With --brief it lists the tools and calls one.
"""

import json

from mcp import Client
from modes import BRIEF, URL, get, run


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


run("python", judge)
