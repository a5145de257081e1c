#!/usr/bin/env bash
# RFC 9110, 11.2 and 5.6.4: what stands in the quoted string of one parameter is no other parameter. The SDKs of MCP search the whole field
# WWW-Authenticate for `scope=`: a description that names a scope (RFC 6750, 3) is requested instead of the scope, with a quotation mark.
cd "$FINDING" && python3 -m venv py && py/bin/pip install -q mcp==2.3.0 &&
  npm install --silent --no-audit --no-fund @modelcontextprotocol/client@2.4.0 >/dev/null || exit 1
challenge='Bearer error="insufficient_scope", error_description="Drafts need scope=drafts.read", scope="content.read drafts.read"'
output=$(CHALLENGE=$challenge py/bin/python -c '
import os
import httpx2
from mcp.client.auth.utils import extract_scope_from_www_auth
print(extract_scope_from_www_auth(httpx2.Response(403, headers={"WWW-Authenticate": os.environ["CHALLENGE"]})))' &&
  CHALLENGE=$challenge node --input-type=module -e '
import { extractWWWAuthenticateParams } from "@modelcontextprotocol/client";
console.log(extractWWWAuthenticateParams(new Response("", { status: 403, headers: { "WWW-Authenticate": process.env.CHALLENGE } })).scope);') || exit 1
[[ $output == $'drafts.read"\ndrafts.read"' ]] || { echo "$output"; exit 1; }
echo "of error_description=\"Drafts need scope=drafts.read\", scope=\"content.read drafts.read\", mcp 2.3.0 (PyPI) and @modelcontextprotocol/client 2.4.0 read the scope drafts.read\""
