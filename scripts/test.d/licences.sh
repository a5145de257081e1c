# Licences, bans and sources of the dependencies, as deny.toml has them. Advisories need a database that is not
# in a registry, so `cargo deny check advisories` is for where that can be reached.

deny_version=0.20.2

licences() {
  if ! cargo deny --version >/dev/null 2>&1; then
    local home=$root/.tools
    PATH=$home/bin:$PATH
    [[ $("$home/bin/cargo-deny" --version 2>/dev/null) == "cargo-deny $deny_version" ]] ||
      bounded cargo install -q --locked --version "$deny_version" --root "$home" cargo-deny || return
  fi
  bounded cargo deny check bans licenses sources
}
