#!/usr/bin/env bash
# MCP, Pagination: a result with nextCursor is a part of the list, and clients should handle lists in parts. langchain-mcp-adapters
# ("all resources will be loaded") and mcp-use read the first part of the resources, mcp-use also of tools and prompts, without a message.
cd "$FINDING" && python3 -m venv py && py/bin/pip install -q mcp==1.30.0 langchain-mcp-adapters==0.3.2 mcp-use==1.7.1 || exit 1
cat >server.py <<'PY'
import asyncio
import mcp.types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

server = Server("firm")

def part(request):
    start = int(request.params.cursor) if request.params and request.params.cursor else 0
    return range(start, start + 2), None if start == 4 else str(start + 2)

@server.list_resources()
async def resources(request: types.ListResourcesRequest) -> types.ListResourcesResult:
    numbers, cursor = part(request)
    return types.ListResourcesResult(resources=[types.Resource(uri=f"https://a.example/{n}.md", name=str(n)) for n in numbers], nextCursor=cursor)

@server.list_tools()
async def tools(request: types.ListToolsRequest) -> types.ListToolsResult:
    numbers, cursor = part(request)
    return types.ListToolsResult(tools=[types.Tool(name=f"tool{n}", inputSchema={"type": "object"}) for n in numbers], nextCursor=cursor)

@server.read_resource()
async def read(uri):
    return str(uri)

async def main():
    async with stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())

asyncio.run(main())
PY
cat >client.py <<'PY'
import asyncio
from langchain_mcp_adapters.resources import load_mcp_resources
from langchain_mcp_adapters.tools import load_mcp_tools
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_use import MCPClient

async def main():
    async with stdio_client(StdioServerParameters(command="py/bin/python", args=["server.py"])) as streams, ClientSession(*streams) as session:
        await session.initialize()
        print(len(await load_mcp_tools(session)), len(await load_mcp_resources(session)), end=" ")
    client = MCPClient.from_dict({"mcpServers": {"firm": {"command": "py/bin/python", "args": ["server.py"]}}})
    session = await client.create_session("firm")
    print(len(await session.list_tools()), len(await session.list_resources()))
    await client.close_all_sessions()

asyncio.run(main())
PY
output=$(MCP_USE_ANONYMIZED_TELEMETRY=false timeout 60 py/bin/python client.py 2>log) || { cat log; exit 1; }
[[ $output == "6 2 2 2" ]] || { echo "$output"; exit 1; }
echo "of six resources in parts of two, langchain-mcp-adapters 0.3.2 and mcp-use 1.7.1 load two, and mcp-use lists two of six tools"
