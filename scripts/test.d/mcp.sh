# The Model Context Protocol endpoint: real clients, the official conformance suite and the official schemas.

mcp_tools=$root/tests/tools/mcp
rmcp_tools=$root/tests/tools/rmcp
rmcp_built=$(cached rmcp "$rmcp_tools/Cargo.lock" "$rmcp_tools/Cargo.toml" "$root/rust-toolchain.toml")

mcp() {
  local status=0
  record || return
  printf '\n== clients\n'
  SANDBOX_KEY=$sandbox_key node "$mcp_tools/clients.mjs" "$mcp_url" || status=1
  "$python_tools/bin/python" "$mcp_tools/client.py" "$mcp_url" || status=1
  "$python_tools/bin/python" "$mcp_tools/fastmcp_client.py" "$mcp_url" || status=1
  "$work/mcp-client" "$mcp_url" "$sandbox_key" || status=1
  node "$mcp_tools/frameworks.mjs" "$mcp_url" || status=1
  inspect || status=1
  conform || status=1
  printf '\n== official schemas\n'
  "$python_tools/bin/python" "$mcp_tools/answers.py" "$mcp_url" || status=1
  access --refused || status=1
  trust || return
  printf '\n== clients, with a trusted provider\n'
  node "$mcp_tools/clients.mjs" "$mcp_url" --brief || status=1
  "$python_tools/bin/python" "$mcp_tools/client.py" "$mcp_url" --brief || status=1
  "$python_tools/bin/python" "$mcp_tools/fastmcp_client.py" "$mcp_url" --brief || status=1
  "$work/mcp-client" "$mcp_url" || status=1
  access || status=1
  printf '\n== all recorded responses\n'
  "$python_tools/bin/python" "$mcp_tools/recorded.py" "$mcp_work/answers" || status=1
  return $status
}

# Starts a separate sidecar behind a recorder. The site is built for the recorder's address, because responses contain it.
record() {
  mcp_work=$work/mcp mcp_port=$(free_port) mcp_target=$(free_port)
  mcp_url=http://127.0.0.1:$mcp_port
  "$bin/generator" build --site-url "$mcp_url" --now "$built_for" --out "$mcp_work/dist" || return
  serve "$mcp_work/service" "$mcp_target" "$mcp_work/dist" MECELLE_MAIL=none || return
  "$python_tools/bin/python" "$mcp_tools/recorder.py" "$mcp_port" "$mcp_target" "$mcp_work/answers" &
  servers+=($!)
  answers $! "$mcp_url/api/v1/health" && node "$mcp_tools/provider.mjs" "$mcp_work"
}

# Serves the same build in its place, with the test's own provider in the trust list.
trust() {
  kill "${servers[0]}" && wait "${servers[0]}"
  servers=("${servers[1]}")
  serve "$mcp_work/trusting" "$mcp_target" "$mcp_work/dist" MECELLE_MAIL="outbox://$mcp_work/trusting/outbox" \
    MECELLE_TRUST="$mcp_work/trust.toml"
}

# Third-party libraries read the documents about access and exchange the provider's assertions; with --refused, the exchange
# must fail.
access() {
  local status=0
  printf '\n== access %s\n' "$*"
  node "$mcp_tools/access.mjs" "$mcp_url" "$mcp_work" "$@" || status=1
  "$python_tools/bin/python" "$mcp_tools/access.py" "$mcp_url" "$mcp_work" "$@" || status=1
  return $status
}

# The newest protocol, and in a long run the one before, each with the scenarios of its revision. The suite requires a name, not
# an address, in `Host`.
conform() {
  local revision scenario status=0 suite=$node_tools/node_modules/@modelcontextprotocol/conformance/dist/index.js revisions=(2026-07-28)
  ((TEST_TIMES == 1)) || revisions+=(2025-11-25)
  for revision in "${revisions[@]}"; do
    printf '\n== conformance at %s\n' "$revision"
    node "$suite" server --url "http://localhost:$mcp_port/mcp" --suite all --spec-version "$revision" \
      --expected-failures "$mcp_tools/expected-$revision.yaml" -o "$work/conformance-$revision" >"$work/conformance.log" ||
      status=1
    sed -n '/=== SUMMARY/,$p' "$work/conformance.log"
  done
  # Scenarios of extensions are in no suite.
  for scenario in skills-enumeration skills-manifest; do
    node "$suite" server --url "http://localhost:$mcp_port/mcp" --scenario "sep-2640-$scenario" --spec-version 2026-07-28 --force \
      -o "$work/conformance-$scenario" >"$work/conformance.log" && ! grep SKIPPED "$work/conformance.log" &&
      grep 'Passed: .* 0 failed, 0 warnings' "$work/conformance.log" | sed "s/^/ok    $scenario, /" ||
      { status=1; printf 'FAIL  %s\n' "$scenario"; grep -v SUCCESS "$work/conformance.log"; }
  done
  return $status
}

# Builds the official Rust client in a separate workspace, so that its dependencies never reach the product's lock file.
rust_client() {
  local workspace=$rmcp_tools/Cargo.toml
  cargo fmt --manifest-path "$workspace" --all --check &&
    cargo build -q --locked --manifest-path "$workspace" --target-dir "$rmcp_built" -p mcp-client &&
    cp "$rmcp_built/debug/mcp-client" "$work"
}

# The inspector's command line detects the protocol version; a long run also passes each one.
inspect() {
  local era eras=(auto) inspector=$node_tools/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js status=0
  ((TEST_TIMES == 1)) || eras+=(legacy modern)
  for era in "${eras[@]}"; do
    env HOME="$work" node "$inspector" --cli --transport http --server-url "$mcp_url/mcp" --protocol-era "$era" \
      --strict --method tools/list >"$work/inspector.json" 2>"$work/inspector.err" &&
      grep -q get_page_markdown "$work/inspector.json" && printf 'ok    inspector, %s\n' "$era" ||
      { status=1; printf 'FAIL  inspector, %s\n' "$era"; cat "$work/inspector.err"; }
  done
  return $status
}
