"""FastMCP, the client of many Python frameworks, against a served build: tools, a search and its page, resources, skills, prompts.

    python3 fastmcp_client.py URL [--brief]

With --brief it lists the tools and calls one.
"""

import json

from fastmcp import Client
from fastmcp.skills import SkillsClientExtension
from modes import BRIEF, URL, get, run


async def judge(mode: str) -> str:
    async with Client(URL + "/mcp", mode=mode, extensions=[SkillsClientExtension()]) as client:
        tools = await client.list_tools()
        assert len(tools) == 8, tools
        team = await client.call_tool("list_team", {"locale": "tr"})
        assert team.structured_content == json.loads(get("/api/v1/team?locale=tr"))
        if BRIEF:
            return f"{client.protocol_version}, {len(tools)} tools"
        found = await client.call_tool("search", {"query": "rent increase", "locale": "en"})
        first = found.structured_content["results"][0]
        assert first["id"] == "/en/publications/rent-increase-limits", first
        page = await client.call_tool("fetch", {"id": first["id"]})
        assert page.structured_content["url"] == first["url"]
        unknown = await client.call_tool("fetch", {"id": "/en/nothing"}, raise_on_error=False)
        assert unknown.is_error, unknown
        resources = await client.list_resources()
        for resource in resources[:5]:
            contents = await client.read_resource(resource.uri)
            assert contents[0].text == get(str(resource.uri).removeprefix(URL)), resource.uri
        # The extension begins with the newest protocol and needs the answer of `server/discover`; otherwise skills are resources.
        skills = await client.list_skill_resources()
        assert len(skills) == 2, skills
        if mode == "auto":
            assert [skill.uri for skill in await client.list_skills()] == [str(skill.uri) for skill in skills]
            for skill in skills:
                # The client compares each file with the size and the digest of the list.
                assert (await client.read_skill(str(skill.uri))).name == skill.name
        prompts = await client.list_prompts()
        prompt = await client.get_prompt(prompts[0].name, {prompts[0].arguments[0].name: "İş"})
        assert "İş" in prompt.messages[0].content.text
        return f"{client.protocol_version}, {len(tools)} tools, {len(resources)} resources, {len(skills)} skills, {len(prompts)} prompts"


run("FastMCP", judge)
