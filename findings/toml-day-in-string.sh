#!/usr/bin/env bash
# JSON Schema's format "date" describes strings, and taplo accepts a TOML string for it. tombi accepts TOML's own date only.
cd "$FINDING" && python3 -m venv py && py/bin/pip install -q tombi==1.9.6 && npm install --silent --no-audit --no-fund @taplo/cli@0.7.0 >/dev/null || exit 1
printf '{"type":"object","properties":{"day":{"type":"string","format":"date"}}}' >schema.json
printf '#:schema ./schema.json\nday = "2027-09-30"\n' >string.toml
printf '#:schema ./schema.json\nday = 2027-09-30\n' >date.toml
check() { "$@" >>log 2>&1 && printf 'clean ' || printf 'error '; }
output=$(for file in string.toml date.toml; do check py/bin/tombi lint --offline "$file"; check npx taplo lint --schema "file://$PWD/schema.json" "$file"; done)
[[ $output == "error clean clean clean " ]] || { echo "$output"; cat log; exit 1; }
echo "with the schema of a date, tombi 1.9.6 rejects day = \"2027-09-30\", which taplo 0.7.0 accepts; both accept the bare day"
