# Checks the content API against its own description.

lint_openapi() {
  local programs=$node_tools/node_modules/.bin status=0
  env -C "$node_tools" REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true \
    "$programs/redocly" lint --config redocly.yaml "$dist/openapi.json" || status=1
  "$programs/spectral" lint --ruleset "$node_tools/spectral.yaml" --fail-severity hint \
    "$dist/openapi.json" || status=1
  node "$node_tools/importers.mjs" "$dist/openapi.json" "$url" || status=1
  return $status
}

# Without a credential and with an invalid key; a long run adds the published key, in both headers.
fuzz_api() {
  local status=0
  fuzz && fuzz -H "X-Api-Key: wrong" || status=1
  ((TEST_TIMES == 1)) || { fuzz -H "X-Api-Key: $sandbox_key" && fuzz -H "Authorization: Bearer $sandbox_key"; } || status=1
  return $status
}

# The seed is fixed so that a failure in continuous integration can be reproduced locally.
fuzz() {
  printf '\n== %s\n' "${*:-no credential}"
  env -C "$work" "$python_tools/bin/schemathesis" run "$dist/openapi.json" --url "$url/api/v1" \
    --checks all --max-examples $((TEST_TIMES == 1 ? 10 : 25 * TEST_TIMES)) --seed 20261121 --request-timeout 60 --no-color "$@"
}
