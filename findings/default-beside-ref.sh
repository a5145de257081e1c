#!/usr/bin/env bash
# OpenAPI 3.1 takes its schemas from JSON Schema 2020-12, in which keywords beside $ref apply too. FastMCP keeps them in bodies, but not in
# parameters: the tool has no default, and instead of the description of the parameter that of the shared schema.
cd "$FINDING" && python3 -m venv py && py/bin/pip install -q fastmcp==4.2.3 || exit 1
cat >tools.py <<'PY'
import asyncio
import httpx2
from fastmcp import Client, FastMCP

words = {"default": "en", "description": "The language of the answer."}
reference = {"$ref": "#/components/schemas/Locale"}
def operation(name, **rest):
    return {"operationId": name, "responses": {"200": {"description": "A list."}}, **rest}
body = {"content": {"application/json": {"schema": {"type": "object", "properties": {"locale": {**reference, **words}}}}}}
description = {"openapi": "3.1.1", "info": {"title": "Firm", "version": "1"}, "paths": {"/team": {
    "get": operation("parameter", parameters=[{"name": "locale", "in": "query", "schema": {**reference, **words}}]),
    "post": operation("body", requestBody=body)}},
    "components": {"schemas": {"Locale": {"type": "string", "enum": ["en", "tr"], "description": "A language."}}}}

async def main():
    server = FastMCP.from_openapi(description, client=httpx2.AsyncClient(base_url="https://a.example"))
    async with Client(server) as client:
        for tool in await client.list_tools():
            locale = tool.input_schema["properties"]["locale"]
            print(tool.name, locale.get("default"), locale["description"])

asyncio.run(main())
PY
output=$(py/bin/python tools.py 2>log) || { cat log; exit 1; }
[[ $output == $'parameter None A language.\nbody en The language of the answer.' ]] || { echo "$output"; exit 1; }
echo "FastMCP 4.2.3 drops default and description beside the \$ref of a parameter's schema in OpenAPI 3.1, and keeps them in a body"
