# Checks licences, bans and sources of the dependencies by deny.toml. Advisories need a database that is not in a
# registry, so `cargo deny check advisories` is for machines that can reach it.

deny_version=0.20.2

licences() {
  if ! cargo deny --version >/dev/null 2>&1; then
    local home=$root/.tools
    local PATH=$home/bin:$PATH
    [[ $("$home/bin/cargo-deny" --version 2>/dev/null) == "cargo-deny $deny_version" ]] || install_deny "$home" || return
  fi
  bounded cargo deny check bans licenses sources
}

# Without optimization: it runs for a second and would compile for minutes. An interrupted install is continued.
install_deny() {
  bounded cargo install -q --locked --debug --version "$deny_version" --root "$1" --target-dir "$1/target" cargo-deny &&
    rm -rf "$1/target"
}
