"""The models of a generator without a client parse the responses, in a long run.

    python3 read_models.py URL KEY
"""

import sys
import urllib.error
import urllib.request

import models

base, key = sys.argv[1:]


def get(path: str, used_key: str = key) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(urllib.request.Request(base + path, headers={"X-Api-Key": used_key}), timeout=120) as reply:
            return reply.status, reply.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


for locale in ("en", "tr"):
    status, content = get(f"/publications?locale={locale}")
    read = models.PublicationList.model_validate_json(content)
    missing = [item.excerpt is None for item in read.items]
    assert status == 200 and read.locale.value == locale and any(missing) and not all(missing), (status, read)
for path, used_key, expected, code in (
    ("/publications", "wrong", 401, "invalid_api_key"), ("/publications?locale=de", key, 400, "invalid_locale"),
):
    status, content = get(path, used_key)
    assert status == expected and models.ErrorResponse.model_validate_json(content).error == code, (status, content)
print("ok    datamodel-code-generator")
