"""The calls of calls.ts with the client of a Python generator.

    python3 calls.py URL KEY
"""

import sys

from content_client.api.content import list_publications
from content_client.client import Client
from content_client.models import ErrorResponse, Locale, PublicationList
from content_client.types import Unset

base, key = sys.argv[1:]


def client(**fields: str) -> Client:
    return Client(base_url=base, headers={name.replace("_", "-"): value for name, value in fields.items()})


for locale in Locale:
    answer = list_publications.sync_detailed(client=client(x_api_key=key), locale=locale)
    listed = answer.parsed
    assert answer.status_code == 200 and isinstance(listed, PublicationList), answer
    assert listed.locale == locale and listed.count == len(listed.items)
    missing = [isinstance(item.excerpt, Unset) for item in listed.items]
    assert any(missing) and not all(missing)
    again = list_publications.sync_detailed(client=client(if_none_match=answer.headers["etag"]), locale=locale)
    assert again.status_code == 304, again

refused = list_publications.sync_detailed(client=client(x_api_key="wrong"))
assert refused.status_code == 401 and isinstance(refused.parsed, ErrorResponse)
assert refused.parsed.error == "invalid_api_key"
print("ok    openapi-python-client")
