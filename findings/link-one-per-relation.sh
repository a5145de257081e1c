#!/usr/bin/env bash
# RFC 8288, 3.3: several links may have one relation, and one link several relations, separated by spaces. `links` of a response of requests
# and httpx has the last link of each relation, and takes two relations for one name; parse-link-header, too, has the last only.
cd "$FINDING" && python3 -m venv py && py/bin/pip install -q requests==2.34.2 httpx==0.28.1 &&
  npm install --silent --no-audit --no-fund parse-link-header@2.0.0 >/dev/null || exit 1
field='</a.md>; rel="alternate"; type="text/markdown", </tr/a>; rel="alternate"; hreflang="tr", </terms>; rel="license terms-of-service"'
output=$(FIELD=$field py/bin/python -c '
import os
import httpx, requests
one, other = requests.Response(), httpx.Response(200, headers={"link": os.environ["FIELD"]})
one.headers["link"] = os.environ["FIELD"]
for links in (one.links, other.links): print([(name, link["url"]) for name, link in links.items()])' &&
  FIELD=$field node -p 'Object.values(require("parse-link-header")(process.env.FIELD)).map((link) => link.url).join(" ")') || exit 1
links="[('alternate', '/tr/a'), ('license terms-of-service', '/terms')]"
[[ $output == "$links"$'\n'"$links"$'\n/tr/a /terms /terms' ]] || { echo "$output"; exit 1; }
echo "of two links with rel=alternate, requests 2.34.2, httpx 0.28.1 and parse-link-header 2.0.0 have the last; the first two take 'license terms-of-service' for one relation"
