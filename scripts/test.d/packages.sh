# Builds the packages from the test programs and unpacks them beside this machine's own files. A long run compiles release
# programs and installs them in a clean root, without Rust and without the checkout.

packages() {
  local status=0 made=$work/packages root=$work/clean within own_port
  own_port=$(free_port)
  ((EUID == 0 || TEST_TIMES == 1)) ||
    { printf 'Run this step as root: packages are installed into a root of their own.\n'; return 1; }
  expect_ok "packages are made" make_packages "$made" || return
  expect_ok "packages made twice are equal" make_packages_again "$made" || status=1
  expect_ok "composition names the image of this version" grep "image: &image $(image_name "$made")\$" deploy/compose.yaml || status=1
  expect_ok "checksums match the packages" env -C "$made" sha256sum --check --strict SHA256SUMS || status=1
  expect_ok "bill of materials is valid CycloneDX" "$python_tools/bin/check-jsonschema" --schemafile \
    "$python_tools"/lib/python3*/site-packages/cyclonedx/schema/_res/bom-1.6.SNAPSHOT.schema.json \
    "$made"/mecelle-*.cdx.json || status=1
  expect_ok "programs for a newer system than promised are rejected" reject_newer_glibc || status=1
  if ((TEST_TIMES == 1)); then test_unpacked_packages; else test_installed_packages; fi || status=1
  expect_ok "image is read by other tools" read_image "$made" || status=1
  ((TEST_TIMES == 1)) || expect_ok "image runs without rights on a read-only file system" run_image "$made" || status=1
  return $status
}

# The folders of the Debian package stand in for the root, and the user of the tests for its user.
test_unpacked_packages() {
  local status=0
  within=$root
  mkdir -p "$root"/{root,tmp,srv/mecelle,var/lib/mecelle} || return
  expect_ok "archive runs from any folder" run_archive "$made" "$root" || status=1
  expect_ok "Debian package is unpacked" dpkg-deb -x "$made"/mecelle_*.deb "$root" || return
  expect_ok "Debian package contains its unit and settings" check_unpacked "$root" || status=1
  expect_ok "new site is created, checked and built" begin_site "$root" || status=1
  expect_ok "service serves it with the packaged settings" run_service "$root" || status=1
  expect_ok "site with an override of an older theme is built after the upgrade" rebuild_after_upgrade "$root" || status=1
  return $status
}

test_installed_packages() {
  local status=0
  within=
  expect_ok "root without this project is made" clean_root "$root" || return
  expect_ok "archive runs from any folder" run_archive "$made" "$root" || status=1
  expect_ok "Debian package is installed" install_package "$made" "$root" || status=1
  expect_ok "new site is created, checked and built" begin_site "$root" || status=1
  expect_ok "service serves it as its user, with the packaged settings" run_service "$root" || status=1
  expect_ok "upgrade keeps settings and registrations" upgrade_package "$made" "$root" || status=1
  expect_ok "site with an override of an older theme is built after the upgrade" rebuild_after_upgrade "$root" || status=1
  expect_ok "removal keeps settings and registrations" remove_package "$root" || status=1
  expect_ok "purge leaves nothing" purge_package "$made" "$root" || status=1
  return $status
}

make_packages() {
  # `setup` has fetched the editor already.
  mkdir -p .tools/packages && cp "$editor_kept"/*.tgz .tools/packages || return
  if ((TEST_TIMES == 1)); then
    python3 scripts/packages --trial "$bin" --glibc "$(getconf GNU_LIBC_VERSION | cut -d ' ' -f 2)" --out "$1"
  else
    python3 scripts/packages --out "$1"
  fi
}

make_packages_again() {
  make_packages "$work/again" && diff -r "$1" "$work/again"
}

# The test programs need the C library of this machine.
reject_newer_glibc() {
  ! python3 scripts/packages --trial "$bin" --glibc 2.17 --out "$work/none" 2>"$work/newer" &&
    grep 'needs glibc' "$work/newer" && [[ ! -e $work/none ]]
}

# Creates a root as its distribution delivers it, from the package sources of this machine.
clean_root() {
  local release sources
  release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  sources=$(ls /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null)
  apt-config dump Acquire >"$work/apt.conf"
  # Unquoted: one file per word.
  # shellcheck disable=SC2086
  mmdebstrap --quiet --mode=root --variant=minbase --include=adduser,procps,systemd --aptopt="$work/apt.conf" \
    "$release" "$1" $sources && clean_tree "$1" >"$work/before"
}

# Prints the files below $1, except those that any installation changes.
clean_tree() {
  (cd "$1" && find . \( -path ./var/lib/dpkg -o -path ./proc -o -path ./run -o -path ./var/log \) -prune -o -print |
    grep -v '^./etc/.*-$' | sort)
}

# Runs a command in the clean root, or with only the programs of the package. Paths inside it begin with $within.
in_root() {
  [[ ! $within ]] || { env -i PATH="$within/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin" HOME="$within/root" LC_ALL=C.UTF-8 "$@"; return; }
  chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"
}

run_archive() {
  local made=$1 root=$2 name
  tar -C "$root/tmp" -xzf "$made"/mecelle-*.tar.gz || return
  name=$(basename "$made"/mecelle-*.tar.gz .tar.gz)
  for program in generator sidecar mecelle; do in_root "$within/tmp/$name/bin/$program" --version || return; done
  [[ -s $root/tmp/$name/LICENSE && -s $root/tmp/$name/share/man/man1/mecelle-use.1 ]] &&
    grep -q 'Apache License' "$root/tmp/$name/THIRD-PARTY.txt" && rm -r "$root/tmp/$name"
}

install_package() {
  local made=$1 root=$2
  cp "$made"/mecelle_*.deb "$root/tmp/mecelle.deb" && in_root dpkg --install /tmp/mecelle.deb || return
  in_root systemd-analyze verify mecelle.service mecelle-backup.timer mecelle-build.timer &&
    ! in_root systemctl is-enabled mecelle.service && ! in_root systemctl is-enabled mecelle-backup.timer &&
    ! in_root systemctl is-enabled mecelle-build.timer &&
    [[ $(in_root stat --format '%U %G %a' /var/lib/mecelle) == "mecelle mecelle 700" ]] &&
    [[ $(in_root stat --format '%U %a' /etc/mecelle/sidecar.toml) == "root 644" ]] &&
    in_root sh -c '[ "$(getent passwd mecelle | cut -d : -f 6-)" = /var/lib/mecelle:/usr/sbin/nologin ]'
}

check_unpacked() {
  local root=$1
  grep -x 'ExecStart=/usr/bin/sidecar serve --config /etc/mecelle/sidecar.toml' "$root/usr/lib/systemd/system/mecelle.service" &&
    [[ $(stat --format '%a' "$root/etc/mecelle/sidecar.toml") == 644 ]] || return
  [[ -s $root/usr/lib/systemd/system/mecelle-backup.timer ]] || return
  grep -x 'ExecStart=/usr/bin/generator build --content content --compression best --out dist' \
    "$root/usr/lib/systemd/system/mecelle-build.service" || return
  for program in generator sidecar mecelle; do in_root "$root/usr/bin/$program" --version || return; done
}

# Follows docs/adopting.md. Texts that a person writes are written from outside; the package's programs do the rest.
begin_site() {
  local root=$1 folder=$within/root/firm manual
  for manual in editors.md editors.tr.md templates.md; do
    [[ -s $root/usr/share/doc/mecelle/docs/$manual ]] || return
  done
  in_root generator init "$folder" --name-en "Erguvan Attorneys at Law" --name-tr "Erguvan Avukatlık Ortaklığı" \
    --site-url https://erguvan.example &&
    in_root env -C "$folder" generator new page --en Careers --tr Kariyer &&
    in_root env -C "$folder" generator new team-member --en "Deniz Aksoy" --tr "Deniz Aksoy" &&
    "$python_tools/bin/python" "$node_tools/adopted.py" edit "$root/root/firm" || return
  in_root env -C "$folder" generator check 2>"$work/checked" || { cat "$work/checked"; return 1; }
  # Only warnings about texts that the firm still has to write.
  ! grep '^warning' "$work/checked" | grep -v 'W0320' && build_firm "$root"
}

build_firm() {
  in_root env -C "$within/root/firm" generator build --site-url "http://127.0.0.1:$own_port" --out "$within/srv/mecelle/dist"
}

# A template of the firm whose original changed since: `check` warns, and the site is built with the firm's template.
rebuild_after_upgrade() {
  local root=$1 templates=$1/root/firm/templates said=$work/rebuilt
  in_root env -C "$within/root/firm" generator templates copy pages/page.html &&
    sed -i 's/<h1>/<h1 class="own">/' "$templates/pages/page.html" &&
    sed -i 's/version = "[^"]*", digest = "[^"]*"/version = "0.0.9", digest = "00000000000000b6"/' "$templates/originals.toml" &&
    in_root env -C "$within/root/firm" generator check 2>"$said" || { cat "$said"; return 1; }
  grep 'W0701' "$said" && grep 'copied from version 0.0.9 .* now that of version' "$said" && build_firm "$root" &&
    grep '<h1 class="own">Careers' "$root/srv/mecelle/dist/en/careers.html" &&
    in_root env -C "$within/root/firm" generator templates accept pages/page.html || return
  in_root env -C "$within/root/firm" generator check 2>"$said" && ! grep 'W0701' "$said"
}

# Starts the command of the unit, as its user if there is one; the generator and the tool query it.
run_service() {
  local root=$1 command
  command=$(sed -n 's/^ExecStart=//p' "$root/usr/lib/systemd/system/mecelle.service")
  local settings=(MECELLE_LISTEN="127.0.0.1:$own_port" MECELLE_ADMIN_LISTEN="127.0.0.1:$(free_port)" MECELLE_MAIL=none)
  # Unquoted: one argument per word.
  # shellcheck disable=SC2086
  if [[ $within ]]; then
    # Its data and build are not at the root of this machine.
    sed -i "s|/srv/mecelle|$root&|; s|/var/lib/mecelle|$root&|" "$root/etc/mecelle/sidecar.toml" || return
    command=${command//\/usr\/bin/$root\/usr\/bin}
    env -i -C "$root/var/lib/mecelle" PATH="$root/usr/bin" "${settings[@]}" ${command//\/etc/$root\/etc} &
  else
    chroot "$root" /usr/bin/env -i -C /var/lib/mecelle PATH=/usr/bin "${settings[@]}" \
      setpriv --reuid mecelle --regid mecelle --init-groups --no-new-privs $command &
  fi
  servers+=($!)
  answers $! "http://127.0.0.1:$own_port/api/v1/health" || return
  in_root generator doctor "http://127.0.0.1:$own_port" && in_root mecelle use "127.0.0.1:$own_port" &&
    "$python_tools/bin/python" "$node_tools/adopted.py" look "http://127.0.0.1:$own_port" &&
    in_root mecelle register && in_root mecelle team --locale tr | grep 'Deniz Aksoy' || return
  back_up "$root" || return
  kill "${servers[-1]}" && wait "${servers[-1]}"
  [[ -s $root/var/lib/mecelle/registrations.db ]] &&
    [[ $within || $(in_root stat --format '%U' /var/lib/mecelle/registrations.db) == mecelle ]]
}

# Runs the command of the backup's unit twice, keeps one copy, and restores that copy into another store.
back_up() {
  local root=$1 copies=$within/var/lib/mecelle-backups command settings=$within/etc/mecelle/sidecar.toml said=$work/backup
  command=$(sed -n 's/^ExecStart=//p' "$root/usr/lib/systemd/system/mecelle-backup.service")
  [[ $command == "/usr/bin/sidecar backup --config /etc/mecelle/sidecar.toml --keep 14 /var/lib/mecelle-backups" ]] || return
  mkdir -p "$root/var/lib/mecelle-backups"
  in_root sidecar backup --config "$settings" --keep 1 "$copies" >"$said" && grep '^1 registration was copied to' "$said" &&
    sleep 1.1 && in_root sidecar backup --config "$settings" --keep 1 "$copies" | grep '; 1 kept$' &&
    [[ $(ls "$root/var/lib/mecelle-backups" | wc -l) == 1 ]] &&
    in_root env MECELLE_STORE="sqlite://$within/tmp/restored/store.db" sh -c "mkdir $within/tmp/restored &&
      sidecar restore --config '$settings' $copies/registrations-*.db &&
      sidecar stats --config '$settings'" >"$said" 2>&1 || { cat "$said"; return 1; }
  cat "$said" && rm -r "$root/tmp/restored" "$root/var/lib/mecelle-backups"
}

upgrade_package() {
  local made=$1 root=$2 newer=$work/newer.d
  dpkg-deb --raw-extract "$made"/mecelle_*.deb "$newer" && sed -i 's/^Version: .*/&+1/' "$newer/DEBIAN/control" &&
    dpkg-deb --root-owner-group -Zgzip -z1 --build "$newer" "$root/tmp/newer.deb" || return
  printf '# of this firm\n' >>"$root/etc/mecelle/sidecar.toml"
  in_root dpkg --install /tmp/newer.deb </dev/null && in_root dpkg-query --show --showformat '${Version}' mecelle | grep -F +1 &&
    check_kept "$root"
}

remove_package() {
  local root=$1
  in_root dpkg --remove mecelle && [[ ! -e $root/usr/bin/sidecar && ! -e $root/usr/lib/systemd/system/mecelle.service ]] &&
    check_kept "$root"
}

check_kept() {
  grep -q '^# of this firm' "$1/etc/mecelle/sidecar.toml" && [[ -s $1/var/lib/mecelle/registrations.db ]] &&
    in_root getent passwd mecelle
}

purge_package() {
  local made=$1 root=$2
  cp "$made"/mecelle_*.deb "$root/tmp/mecelle.deb" && in_root dpkg --install /tmp/mecelle.deb </dev/null && check_kept "$root" &&
    in_root dpkg --purge mecelle || return
  # Files that the tests themselves wrote.
  rm -rf "$root"/tmp/*.deb "$root/srv/mecelle" "$root/root/firm" "$root/root/.config" "$root/root/.cache"
  ! in_root getent passwd mecelle && clean_tree "$root" >"$work/after" && diff "$work/before" "$work/after"
}

read_image() {
  local file
  file=$(echo "$1"/mecelle-*-oci.tar)
  # A copy compares every digest.
  skopeo --insecure-policy copy "oci-archive:$file" "dir:$work/copied" || return
  skopeo inspect --config "oci-archive:$file" | python3 -c 'import json, sys
config = json.load(sys.stdin)["config"]
assert config["User"] == "65532:65532", config
assert config["Volumes"] == {"/data": {}}, config'
  # The test programs are larger.
  ((TEST_TIMES == 1)) || [[ $(stat --format %s "$file") -lt 40000000 ]]
}

# Runs the image with runc, the runtime behind most others, in its own namespaces.
run_image() {
  local bundle=$work/bundle name=mecelle-$BASHPID status=0 end
  mkdir "$work/layout" && tar -C "$work/layout" -xf "$1"/mecelle-*-oci.tar || return
  umoci unpack --image "$work/layout:$(image_name "$1" | cut -d : -f 2)" "$bundle" || return
  ! find "$bundle/rootfs" -perm /6000 | grep . || return
  python3 - "$bundle/config.json" "$dist" <<'EDIT' || return
import json, sys
path, dist = sys.argv[1:]
config = json.load(open(path))
assert config["process"]["user"]["uid"] == 65532, config["process"]["user"]
config["process"]["terminal"] = False
config["process"]["capabilities"] = {}
config["root"]["readonly"] = True
# The host sets resource limits.
del config["linux"]["resources"]
config["mounts"] = [mount for mount in config["mounts"] if mount["type"] != "cgroup"] + [
    {"destination": "/srv/mecelle/dist", "type": "bind", "source": dist, "options": ["bind", "ro"]},
    {"destination": "/data", "type": "tmpfs", "source": "tmpfs", "options": ["uid=65532", "gid=65532", "mode=0700"]},
]
json.dump(config, open(path, "w"))
EDIT
  runc --root "$work/runc" run --bundle "$bundle" "$name" &
  servers+=($!)
  end=$((SECONDS + 15))
  until runc --root "$work/runc" exec "$name" mecelle health --base-url 127.0.0.1:8080 --retries 0; do
    ((SECONDS < end)) && kill -0 "${servers[-1]}" && sleep 0.2 || { status=1; break; }
  done
  runc --root "$work/runc" exec "$name" mecelle register --base-url 127.0.0.1:8080 || status=1
  runc --root "$work/runc" kill "$name" TERM
  wait "${servers[-1]}" || status=1
  return $status
}

# Prints the name that `docker load` gives to the image.
image_name() {
  tar -xOf "$1"/mecelle-*-oci.tar index.json | python3 -c 'import json, sys
print(json.load(sys.stdin)["manifests"][0]["annotations"]["io.containerd.image.name"])'
}

# Caddy with the settings of the composition, in front of the test server.
composed() {
  local own_port folder=$work/caddy
  own_port=$(free_port)
  mkdir -p "$folder"
  {
    printf '{\n\tadmin off\n}\n'
    "$python_tools/bin/python" -c 'import sys, yaml
print(yaml.safe_load(open("deploy/compose.yaml"))["configs"]["caddyfile"]["content"])' |
      sed -e "s|^\${SITE:[^}]*}|http://127.0.0.1:$own_port|; s|mecelle:8080|127.0.0.1:$port|"
  } >"$folder/Caddyfile"
  HOME=$folder XDG_DATA_HOME=$folder XDG_CONFIG_HOME=$folder caddy run --config "$folder/Caddyfile" &
  servers+=($!)
  answers $! "http://127.0.0.1:$own_port/api/v1/health" || return
  # The settings for Caddy that docs/adopting.md adds.
  sed -n "/<<'END'\$/,/^END\$/p" docs/adopting.md | sed '1d;$d' >"$folder/adopting" && grep reverse_proxy "$folder/adopting" &&
    caddy adapt --adapter caddyfile --config "$folder/adopting" | grep -i strict-transport-security || return
  curl --silent --fail --dump-header "$folder/headers" --header 'Accept: text/markdown' --header 'Accept-Encoding: br' \
    --output "$folder/proxied" "http://127.0.0.1:$own_port/en" &&
    curl --silent --fail --header 'Accept: text/markdown' --header 'Accept-Encoding: br' --output "$folder/direct" "$url/en" &&
    cmp "$folder/proxied" "$folder/direct" &&
    grep -i '^strict-transport-security: max-age=31536000' "$folder/headers" && grep -i '^content-encoding: br' "$folder/headers" || return
  # A body above the limit, and one below.
  [[ $(post_status 300000 "$own_port") == 413 && $(post_status 100 "$own_port") == 4* ]]
}

post_status() {
  head -c "$1" /dev/zero | curl --silent --output "$work/caddy/said" --write-out '%{http_code}' \
    --header 'Content-Type: application/json' --data-binary @- "http://127.0.0.1:$2/agent/auth"
}

# Checks the files of the forge and the container composition against public schemas and linters.
lint_workflows() {
  local status=0 check=$python_tools/bin/check-jsonschema form
  node "$node_tools/workflows.mjs" .github/workflows/*.yaml || status=1
  "$python_tools/bin/zizmor" --offline --no-progress .github/workflows || status=1
  "$check" --builtin-schema vendor.github-workflows .github/workflows/*.yaml || status=1
  "$check" --builtin-schema vendor.dependabot .github/dependabot.yml || status=1
  "$check" --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml || status=1
  for form in .github/ISSUE_TEMPLATE/*.yml; do
    [[ $form == */config.yml ]] || "$check" --builtin-schema vendor.github-issue-forms "$form" || status=1
  done
  "$check" --builtin-schema vendor.compose-spec deploy/compose.yaml deploy/compose-cluster.yaml || status=1
  return $status
}
