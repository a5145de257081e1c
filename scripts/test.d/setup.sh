# What the steps need beyond Rust, make and a C compiler. Installs once; afterwards it only looks.

# The command, and the Debian package that has it. A stable release of Debian keeps one version of each.
packages=(
  "node nodejs" "npm npm" "python3 python3" "chromium chromium" "nginx nginx" "openssl openssl"
  "xmllint libxml2-utils" "curl curl"
)
node_tools=$root/tests/tools
python_tools=$root/.tools/venv

setup() {
  debian_packages && find_postgres && node_packages && python_packages
}

# Debian keeps the server's programs beside the path. From here on the tests of the store fail where it is missing.
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
  local row missing=()
  for row in "${packages[@]}"; do
    command -v "${row% *}" >/dev/null || missing+=("${row#* }")
  done
  command -v postgres >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || missing+=(postgresql)
  python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
  # Pages are drawn with these until their own fonts arrive; without them every page would seem to move.
  fc-list : family 2>/dev/null | grep -q '^Liberation Sans' || missing+=(fonts-liberation fontconfig)
  ((${#missing[@]})) || return 0
  if ((EUID)) || ! command -v apt-get >/dev/null; then
    printf 'Some programs that judge the site are not here. Install them, then run this again:\n'
    printf '    sudo apt-get update && sudo apt-get install -y --no-install-recommends %s\n' "${missing[*]}"
    return 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  bounded apt-get update -q && bounded apt-get install -qy --no-install-recommends "${missing[@]}"
}

# Both installers are left alone while their list is the one that was installed last.
node_packages() {
  local lock=$node_tools/package-lock.json mark=$node_tools/node_modules/.installed
  cmp -s "$lock" "$mark" && return
  # No package has a reason to run a script of its own on installation.
  bounded env -C "$node_tools" npm ci --ignore-scripts && cp "$lock" "$mark"
}

python_packages() {
  local list=$node_tools/requirements.txt mark=$python_tools/.installed
  cmp -s "$list" "$mark" && return
  python3 -m venv "$python_tools" &&
    bounded "$python_tools/bin/pip" install -q --disable-pip-version-check --no-deps -r "$list" &&
    cp "$list" "$mark"
}
