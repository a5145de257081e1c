# Installs what the steps need beyond Rust, make and a C compiler. It installs once; afterwards it only checks.

# The command, and the Debian package that provides it. A stable release of Debian keeps one version of each.
packages=(
  "node nodejs" "npm npm" "python3 python3" "chromium chromium" "nginx nginx" "openssl openssl"
  "xmllint libxml2-utils" "curl curl" "git git"
)
node_tools=$root/tests/tools
python_tools=$root/.tools/venv

setup() {
  debian_packages && find_postgres && node_packages && find_node && python_packages
}

# Debian keeps the server's programs outside the path. From here on the tests of the store fail if it is missing.
find_postgres() {
  local folder
  if ! command -v postgres >/dev/null; then
    folder=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
    PATH=$PATH:$folder
  fi
  export PATH REQUIRE_POSTGRES=1
  command -v postgres
}

debian_packages() {
  local missing
  missing=$(missing_packages)
  [[ $missing ]] || return 0
  if ((EUID == 0)) && command -v apt-get >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    # One name per word.
    # shellcheck disable=SC2086
    bounded apt-get update -q && bounded apt-get install -qy --no-install-recommends $missing || return
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
  command -v postgres >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || missing+=(postgresql)
  python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
  # Pages are drawn with these until their own fonts arrive; without them every page would seem to shift.
  fc-list : family 2>/dev/null | grep -q '^Liberation Sans' || missing+=(fonts-liberation fontconfig)
  printf '%s' "${missing[*]}"
}

# Neither installer runs if its list is the one that was installed last.
node_packages() {
  local lock=$node_tools/package-lock.json mark=$node_tools/node_modules/.installed
  cmp -s "$lock" "$mark" && return
  # No package has a reason to run its own script on installation.
  bounded env -C "$node_tools" npm ci --ignore-scripts && cp "$lock" "$mark"
}

# Finds what the judges run on: Node from its package, since Debian's may be too old for anything but fetching it; the
# machine's own Node if there is no package for that machine.
find_node() {
  local folder
  for folder in "$node_tools"/node_modules/node-*/bin "$(dirname "$(command -v node)")"; do
    # Redocly's own requirement.
    "$folder/node" -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 22 || (a == 22 && b >= 12) ? 0 : 1)' \
      2>/dev/null || continue
    export PATH=$folder:$PATH
    node --version
    return
  done
  printf 'Node 22.12 or newer is needed, which comes as a package on Linux alone. Here it is %s: install one from nodejs.org.\n' \
    "$(node --version)"
  return 1
}

python_packages() {
  local list=$node_tools/requirements.txt mark=$python_tools/.installed
  cmp -s "$list" "$mark" && return
  python3 -m venv "$python_tools" &&
    bounded "$python_tools/bin/pip" install -q --disable-pip-version-check --no-deps -r "$list" &&
    cp "$list" "$mark"
}
