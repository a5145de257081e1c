"""The calls of calls.py with the client of openapi-generator, which raises for every status but 2xx.

    python3 openapi_generator.py URL KEY
"""

import sys

import generated_client

base, key = sys.argv[1:]
content = generated_client.ContentApi(generated_client.ApiClient(generated_client.Configuration(host=base)))
for locale in generated_client.Locale:
    answer = content.list_publications_with_http_info(locale=locale, _headers={"X-Api-Key": key})
    assert answer.status_code == 200 and answer.data.locale == locale and answer.data.count == len(answer.data.items)
    missing = [item.excerpt is None for item in answer.data.items]
    assert any(missing) and not all(missing)
    try:
        content.list_publications(locale=locale, _headers={"If-None-Match": answer.headers["etag"]})
    except generated_client.ApiException as error:
        assert error.status == 304, error
    else:
        sys.exit("what has not changed is sent again")
try:
    content.list_publications(_headers={"X-Api-Key": "wrong"})
except generated_client.ApiException as error:
    assert error.status == 401 and error.data.error == "invalid_api_key", error
else:
    sys.exit("a wrong key is accepted")
print("ok    openapi-generator")
