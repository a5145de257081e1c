# The Model Context Protocol endpoint: real clients, the official conformance suite and the official schemas.

mcp_tools=$root/tests/tools/mcp
mcp_venv=$root/.tools/mcp-venv

mcp() {
  mcp_packages || return
  local status=0 node
  node=$(mcp_node) || return
  printf '\n== clients\n'
  SANDBOX_KEY=$sandbox_key bounded "$node" "$mcp_tools/clients.mjs" "$url" || status=1
  bounded "$mcp_venv/bin/python" "$mcp_tools/client.py" "$url" || status=1
  rust_client || status=1
  inspect "$node" || status=1
  printf '\n== official schemas\n'
  bounded "$mcp_venv/bin/python" "$mcp_tools/answers.py" "$url" || status=1
  conform "$node" || status=1
  return $status
}

# Both wires, each with the scenarios of its revision. The suite wants to see a name, not an address, in `Host`.
conform() {
  local revision status=0 suite=$mcp_tools/node_modules/@modelcontextprotocol/conformance/dist/index.js
  for revision in 2025-11-25 2026-07-28; do
    printf '\n== conformance at %s\n' "$revision"
    bounded "$1" "$suite" server --url "http://localhost:$port/mcp" --suite all --spec-version "$revision" \
      --expected-failures "$mcp_tools/expected-$revision.yaml" -o "$work/conformance-$revision" >"$work/conformance.log" ||
      status=1
    sed -n '/=== SUMMARY/,$p' "$work/conformance.log"
  done
  return $status
}

# The official Rust client, a workspace of its own, so that what it needs never touches the product's lock file.
rust_client() {
  local workspace=$root/tests/tools/rmcp/Cargo.toml built=$root/target/rmcp
  cargo fmt --manifest-path "$workspace" --all --check &&
    bounded cargo build -q --locked --manifest-path "$workspace" --target-dir "$built" -p mcp-client &&
    bounded "$built/debug/mcp-client" "$url" "$sandbox_key"
}

# The inspector's command line, which is what many people try first, in each era.
inspect() {
  local era inspector=$mcp_tools/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js status=0
  for era in legacy auto modern; do
    bounded env HOME="$work" "$1" "$inspector" --cli --transport http --server-url "$url/mcp" --protocol-era "$era" \
      --strict --method tools/list >"$work/inspector.json" 2>"$work/inspector.err" &&
      grep -q get_page_markdown "$work/inspector.json" && printf 'ok    inspector, %s\n' "$era" ||
      { status=1; printf 'FAIL  inspector, %s\n' "$era"; cat "$work/inspector.err"; }
  done
  return $status
}

mcp_packages() {
  local lock=$mcp_tools/package-lock.json mark=$mcp_tools/node_modules/.installed
  cmp -s "$lock" "$mark" ||
    { bounded env -C "$mcp_tools" npm ci --ignore-scripts && cp "$lock" "$mark"; } || return
  local list=$mcp_tools/requirements.txt
  mark=$mcp_venv/.installed
  cmp -s "$list" "$mark" && return
  python3 -m venv "$mcp_venv" &&
    bounded "$mcp_venv/bin/pip" install -q --disable-pip-version-check --no-deps -r "$list" && cp "$list" "$mark"
}

# The suite needs Node 22 or newer, which comes as a package where the system's is older.
mcp_node() {
  local node
  for node in "$mcp_tools"/node_modules/node-*/bin/node "$(command -v node)"; do
    [[ -x $node && $("$node" -p 'parseInt(process.versions.node) >= 22' 2>/dev/null) == true ]] && printf '%s' "$node" && return
  done
  printf 'Node 22 or newer is needed: install it, or run on Linux, for which it comes as a package\n' >&2
  return 1
}
