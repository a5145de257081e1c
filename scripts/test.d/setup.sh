# Installs what the steps need beyond Rust, make and a C compiler. It installs once on a machine; afterwards it only checks.

# The command, and the Debian package that provides it. A stable release of Debian keeps one version of each.
packages=(
  "node nodejs" "npm npm" "python3 python3" "nginx nginx" "openssl openssl"
  "pdftotext poppler-utils" "xmllint libxml2-utils" "curl curl" "git git"
  # What packages are tried in and with.
  "mmdebstrap mmdebstrap" "skopeo skopeo" "umoci umoci" "runc runc" "caddy caddy"
  # What reads metrics, and says whether alerts and dashboard are right.
  "promtool prometheus"
  # What the script of a firm needs.
  "jq jq" "rsync rsync"
  # The program alone: the package of that name would start a server.
  "apache2 apache2-bin"
)
node_tools=$root/tests/tools
node_kept=$(cached node "$node_tools/package-lock.json" "$node_tools/.npmrc")
python_tools=$(cached python "$node_tools/requirements.txt" <(python3 --version 2>&1))

setup() {
  tidy
  debian_packages && node_packages && fill "$python_tools" python_packages && find_tools &&
    command -v postgres && check_node
}

# Puts what is installed on the path, at the start of every step. From here on the tests of the store fail if PostgreSQL
# is missing.
find_tools() {
  local folder
  export REQUIRE_POSTGRES=1
  # Debian keeps the server's programs outside the path.
  command -v postgres >/dev/null || PATH=$PATH:$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
  # Node from its package, where there is one: Debian's may be too old for anything but fetching it.
  for folder in "$node_tools"/node_modules/node-*/bin; do
    [[ ! -x $folder/node ]] || PATH=$folder:$PATH
  done
}

# Redocly's own requirement.
check_node() {
  node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 22 || (a == 22 && b >= 12) ? 0 : 1)' && return
  printf 'Node 22.12 or newer is needed, which comes as a package on Linux alone. Here it is %s: install one from nodejs.org.\n' \
    "$(node --version)"
  return 1
}

debian_packages() {
  local missing
  missing=$(missing_packages)
  [[ $missing ]] || return 0
  if ((EUID == 0)) && command -v apt-get >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    # One name per word.
    # shellcheck disable=SC2086
    apt-get update -q && apt-get install -qy --no-install-recommends $missing || return
    missing=$(missing_packages)
    [[ $missing ]] || return 0
  fi
  printf 'Some programs that judge the site are not on the path (%s). Install them, then run this again:\n' "$PATH"
  printf '    sudo apt-get update && sudo apt-get install -y --no-install-recommends %s\n' "$missing"
  return 1
}

# Prints the names of the packages of which nothing is found, on one line.
missing_packages() {
  local row missing=()
  for row in "${packages[@]}"; do
    command -v "${row% *}" >/dev/null || missing+=("${row#* }")
  done
  # The browser without windows takes less than half of the processor; another Chromium does where that is not to be had.
  command -v chromium-headless-shell >/dev/null || { command -v chromium >/dev/null && ! is_to_be_had chromium-headless-shell; } ||
    missing+=(chromium-headless-shell)
  command -v postgres >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || missing+=(postgresql)
  python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
  # Pages are drawn with these until their own fonts arrive; without them every page would seem to shift.
  fc-list : family 2>/dev/null | grep -q '^Liberation Sans' || missing+=(fonts-liberation fontconfig)
  printf '%s' "${missing[*]}"
}

# Whether a package can be installed here.
is_to_be_had() {
  ((EUID == 0)) && apt-cache show "$1" >/dev/null 2>&1
}

# The packages of package-lock.json, which the judges find through a link beside them.
node_packages() {
  fill "$node_kept" install_node_packages && ln -sfn "$node_kept/node_modules" "$node_tools/node_modules"
}

# No package has a reason to run its own script on installation; programs such as workerd have a package of their own.
install_node_packages() {
  cp "$node_tools"/{package.json,package-lock.json,.npmrc} "$node_kept" &&
    env -C "$node_kept" npm ci --ignore-scripts --no-audit --no-fund --fetch-retries 5
}

python_packages() {
  python3 -m venv "$python_tools" &&
    "$python_tools/bin/pip" install -q --disable-pip-version-check --no-deps -r "$node_tools/requirements.txt"
}
