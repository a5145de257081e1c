# Checks licences, bans and sources of the dependencies by deny.toml. Advisories need a database that is not in a
# registry, so `cargo deny check advisories` is for machines that can reach it.

deny_version=0.20.2

licences() {
  if ! cargo deny --version >/dev/null 2>&1; then
    install_deny || return
    local PATH=$deny_kept/bin:$PATH
  fi
  cargo deny check bans licenses sources
}

deny_kept=$(cached cargo-deny <(echo "$deny_version"))

install_deny() {
  fill "$deny_kept" compile_deny
}

# Without optimization: it runs for a second and would compile for minutes. An interrupted install is continued.
compile_deny() {
  cargo install -q --locked --debug --version "$deny_version" --root "$deny_kept" --target-dir "$deny_kept/target" cargo-deny &&
    rm -rf "$deny_kept/target"
}
