# Checks licences, bans and sources of the dependencies against deny.toml. Advisories need a database outside the registry: run
# `cargo deny check advisories` on a machine that can reach it.

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

# Without optimization: it runs for a second and would compile for minutes. An interrupted installation is continued.
compile_deny() {
  cargo install -q --locked --debug --version "$deny_version" --root "$deny_kept" --target-dir "$deny_kept/target" cargo-deny &&
    rm -rf "$deny_kept/target"
}
