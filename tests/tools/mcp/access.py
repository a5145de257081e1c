"""Third-party Python libraries, as published, read the metadata, and the client of the Model Context Protocol
obtains a token with the assertion of a provider.

    python3 access.py URL FOLDER [--refused]

FOLDER is that of provider.mjs; URL a service that trusts its provider, or with --refused one that trusts no provider.
"""

import asyncio
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path

import httpx2
import jwt
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata, get_well_known_url
from mcp import Client
from mcp.client.auth.extensions.identity_assertion import IdentityAssertionOAuthProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthMetadata, OAuthToken, ProtectedResourceMetadata

URL, FOLDER, REFUSED = sys.argv[1], Path(sys.argv[2]), "--refused" in sys.argv
PROVIDER = json.loads((FOLDER / "provider.json").read_text())
KEY = jwt.PyJWK(PROVIDER["key"])
EVENT = "https://schemas.openid.net/secevent/caep/event-type/session-revoked"


def get(path: str, token: str | None = None) -> tuple[int, bytes]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(URL + path, headers=headers), timeout=120) as reply:
            return reply.status, reply.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def sign(kind: str, **claims: object) -> str:
    claims = {"iss": PROVIDER["issuer"], "jti": str(uuid.uuid4()), "iat": int(time.time()), **claims}
    return jwt.encode(claims, KEY, algorithm="ES256", headers={"typ": kind, "kid": "key"})


class Storage:
    """Stores a token; the first one is of an expired registration."""

    def __init__(self) -> None:
        self.token = OAuthToken(access_token="at_" + "0" * 27, token_type="Bearer", expires_in=3600)

    async def get_tokens(self) -> OAuthToken:
        return self.token

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.token = tokens


def provider(method: str, user: str, storage: Storage) -> IdentityAssertionOAuthProvider:

    async def vouch(audience: str, resource: str) -> str:
        now = int(time.time())
        return sign("oauth-id-jag+jwt", sub=user, aud=audience, resource=resource, client_id=PROVIDER["client"], exp=now + 300,
                    auth_time=now - 60, email=f"{user}@client.example", email_verified=True)

    return IdentityAssertionOAuthProvider(
        server_url=URL + "/mcp", storage=storage, client_id=PROVIDER["client"], client_secret=PROVIDER["secret"], issuer=URL,
        assertion_provider=vouch, token_endpoint_auth_method=method)

async def obtain(method: str) -> None:
    user, storage = str(uuid.uuid4()), Storage()
    auth = provider(method, user, storage)
    async with httpx2.AsyncClient(auth=auth) as http, Client(streamable_http_client(URL + "/mcp", http_client=http)) as client:
        assert len((await client.list_tools()).tools) == 8
        first = storage.token.access_token
        if name := os.environ.get("SECRETS_FILE"):
            with open(name, "a") as file:
                print(first, PROVIDER["secret"], sep="\n", file=file)
        assert get("/api/v1/team", first)[0] == 200
        event = sign("secevent+jwt", sub=user, aud=URL, events={EVENT: {}})
        report = urllib.request.Request(URL + "/agent/auth/revoke", data=event.encode(), headers={"Content-Type": "application/secevent+jwt"})
        with urllib.request.urlopen(report, timeout=120) as reply:
            assert reply.status == 202
        assert get("/api/v1/team", first)[0] == 401
        # Events of the provider count by the second; later assertions are valid again.
        await asyncio.sleep(1.1)
        assert not (await client.call_tool("list_team", {"locale": "en"})).is_error
        assert storage.token.access_token != first


async def fail(method: str) -> None:
    """Checks that the error of the client is that of the service, and not of a parser."""
    auth = provider(method, str(uuid.uuid4()), Storage())
    try:
        async with httpx2.AsyncClient(auth=auth) as http, Client(streamable_http_client(URL + "/mcp", http_client=http)) as client:
            await client.list_tools()
    except Exception as error:  # noqa: BLE001: the error is nested in groups
        message = " ".join(texts(error))
        assert "not trusted" in message and "validation error" not in message, message
        return
    raise AssertionError("nothing was refused")


def texts(error: BaseException) -> list[str]:
    inner = getattr(error, "exceptions", ())
    return [str(error), *(text for one in inner for text in texts(one))]


async def parse() -> None:
    document = get("/.well-known/oauth-authorization-server")[1]
    OAuthMetadata.model_validate_json(document)
    ProtectedResourceMetadata.model_validate_json(get("/.well-known/oauth-protected-resource/mcp")[1])
    assert get_well_known_url(URL, external=True) == URL + "/.well-known/oauth-authorization-server"
    AuthorizationServerMetadata(json.loads(document)).validate()


# The library refuses addresses without TLS, even of this machine.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
attempt = fail if REFUSED else obtain
judges = {
    "python, both documents": parse,
    "python, client_secret_post": lambda: attempt("client_secret_post"),
    "python, client_secret_basic": lambda: attempt("client_secret_basic"),
}
failed = False
for name, judge in judges.items():
    try:
        asyncio.run(asyncio.wait_for(judge(), 60))
        print(f"ok    {name}")
    except Exception as error:  # noqa: BLE001: every error of a library is a finding
        failed = True
        print(f"FAIL  {name}: {error!r}")
sys.exit(failed)
