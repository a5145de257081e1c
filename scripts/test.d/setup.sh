# Installs what the steps need beyond Rust, make and a C compiler: once on a machine; afterwards it only checks.

# The command, and the Debian package that provides it. A stable release of Debian keeps one version of each.
packages=(
  "node nodejs" "npm npm" "python3 python3" "nginx nginx" "openssl openssl"
  "pdftotext poppler-utils" "xmllint libxml2-utils" "curl curl" "git git"
  # To build and try packages.
  "mmdebstrap mmdebstrap" "skopeo skopeo" "umoci umoci" "runc runc" "caddy caddy"
  # To read metrics and check alerts and the dashboard.
  "promtool prometheus"
  # For the script of a firm.
  "jq jq" "rsync rsync"
  # A pooler before PostgreSQL.
  "pgbouncer pgbouncer"
  # To import documents.
  "pandoc pandoc"
  # The program only: the package `apache2` would start a server.
  "apache2 apache2-bin"
)
node_tools=$root/tests/tools
node_kept=$(cached node "$node_tools/package-lock.json" "$node_tools/.npmrc")
editor_version=$(sed -n 's/^pub const VERSION: &str = "\(.*\)";$/\1/p' "$root/crates/editor/src/bundle.rs")
editor_kept=$TEST_CACHE/editor-$editor_version
python_tools=$(cached python "$node_tools/requirements.txt" <(python3 --version 2>&1))

setup() {
  tidy
  debian_packages && node_packages && fill "$python_tools" python_packages && fill "$editor_kept" editor_package && find_tools &&
    command -v postgres && check_node
}

# Puts the installed programs on the path, at the start of every step. From here on the tests of the store fail if PostgreSQL is
# missing.
find_tools() {
  local folder
  export REQUIRE_POSTGRES=1
  # Debian keeps the server's programs outside the path.
  command -v postgres >/dev/null || PATH=$PATH:$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
  # Node from its npm package, if there is one: Debian's may be too old for anything but downloading it.
  for folder in "$node_tools"/node_modules/node-*/bin; do
    [[ ! -x $folder/node ]] || PATH=$folder:$PATH
  done
}

# The minimum version that Redocly requires.
check_node() {
  node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 22 || (a == 22 && b >= 12) ? 0 : 1)' && return
  printf 'Node 22.12 or newer is needed; this machine has %s. The npm package of Node is for Linux only: install Node from nodejs.org.\n' \
    "$(node --version)"
  return 1
}

debian_packages() {
  local missing
  missing=$(missing_packages)
  [[ $missing ]] || return 0
  if ((EUID == 0)) && command -v apt-get >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    # Unquoted: one name per word.
    # shellcheck disable=SC2086
    apt-get update -q && apt-get install -qy --no-install-recommends $missing || return
    missing=$(missing_packages)
    [[ $missing ]] || return 0
  fi
  printf 'Some programs that the steps need are not on the path (%s). Install them, then run this again:\n' "$PATH"
  printf '    sudo apt-get update && sudo apt-get install -y --no-install-recommends %s\n' "$missing"
  return 1
}

# Prints the names of the missing packages on one line.
missing_packages() {
  local row missing=()
  for row in "${packages[@]}"; do
    command -v "${row% *}" >/dev/null || missing+=("${row#* }")
  done
  # chromium-headless-shell needs less than half of the CPU time; another Chromium is used if it is not available.
  command -v chromium-headless-shell >/dev/null || { command -v chromium >/dev/null && ! is_available chromium-headless-shell; } ||
    missing+=(chromium-headless-shell)
  command -v postgres >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || missing+=(postgresql)
  python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
  # Pages are drawn with these fonts until their own arrive; without them every page would seem to shift.
  fc-list : family 2>/dev/null | grep -q '^Liberation Sans' || missing+=(fonts-liberation fontconfig)
  printf '%s' "${missing[*]}"
}

# Succeeds if a package can be installed here.
is_available() {
  ((EUID == 0)) && apt-cache show "$1" >/dev/null 2>&1
}

# Installs the packages of package-lock.json; the judges find them through a link beside them.
node_packages() {
  fill "$node_kept" install_node_packages && ln -sfn "$node_kept/node_modules" "$node_tools/node_modules"
}

# No package needs its own installation script; programs such as workerd have a package of their own.
install_node_packages() {
  cp "$node_tools"/{package.json,package-lock.json,.npmrc} "$node_kept" &&
    env -C "$node_kept" npm ci --ignore-scripts --no-audit --no-fund --fetch-retries 5
}

# The editor in the browser, as the build reads it.
editor_package() {
  env -C "$editor_kept" npm pack --silent "@sveltia/cms@$editor_version"
}

python_packages() {
  python3 -m venv "$python_tools" &&
    "$python_tools/bin/pip" install -q --disable-pip-version-check --no-deps -r "$node_tools/requirements.txt"
}
