"""FastMCP, the client of many Python frameworks, against a served build: tools, a search and its page, resources, skills, prompts.

    python3 fastmcp_client.py URL [--brief]

With --brief it lists the tools and calls one.
"""

import asyncio
import json
import pathlib
import sys
import urllib.request

from fastmcp import Client
from fastmcp.skills import SkillsClientExtension

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from extent import IS_LONG, PATIENCE  # noqa: E402: the folder above is not that of a package

URL, BRIEF = sys.argv[1], "--brief" in sys.argv


def get(path: str) -> str:
    with urllib.request.urlopen(URL + path, timeout=PATIENCE) as reply:
        return reply.read().decode()


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


failed = False
for mode in ("auto", "legacy", "2026-07-28") if IS_LONG else ("auto",):
    try:
        print(f"ok    FastMCP, {mode}: {asyncio.run(asyncio.wait_for(judge(mode), 2 * PATIENCE))}")
    except Exception as error:  # noqa: BLE001: every error of a client is a finding
        failed = True
        print(f"FAIL  FastMCP, {mode}: {error!r}")
sys.exit(failed)
