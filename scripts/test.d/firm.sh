# A firm's own repository on a forge: the workflows that `init` writes, and their script as a forge runs it.

# Each check runs separately, so that a failed one hides no other.
firm() {
  local status=0 folder=$work/firm tools=$work/tools to=$work/served forge_port check=$python_tools/bin/check-jsonschema
  forge_port=$(free_port)
  expect_ok "new site has workflows" firm_begin "$folder" || return
  expect_ok "workflows of every host pass their linters" firm_workflows || status=1
  expect_ok "script runs in any POSIX shell" "$python_tools/bin/shellcheck" --shell sh "$folder/scripts/ci" || status=1
  expect_ok "release is pinned, and another is rejected" firm_pin "$folder" || return
  expect_ok "change is reviewed" firm_review "$folder" || status=1
  expect_ok "errors name the changed lines" firm_report_errors "$folder" || status=1
  expect_ok "one comment on every forge lists the addresses" firm_comment_on_forges "$folder" || status=1
  expect_ok "preview opens in a browser without a server" node "$node_tools/portable.mjs" "$folder/preview" || status=1
  expect_ok "site is published, and again when a change is due" firm_publish "$folder" || status=1
  expect_ok "every host's own tool deploys its folder" firm_deploy_to_hosts "$folder" || status=1
  return $status
}

# The sample content of a new site has today's date, so these times come from the clock.
firm_now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
firm_later=$(date -u -d '+9 days' +%Y-%m-%dT%H:%M:%SZ)

firm_init() {
  "$bin/generator" init "$1" --name-en "Erguvan Attorneys at Law" --name-tr "Erguvan Avukatlık Ortaklığı" \
    --site-url https://erguvan.example "${@:2}"
}

firm_git() {
  git -C "$1" -c user.name=Editor -c user.email=editor@erguvan.example -c init.defaultBranch=main -c core.hooksPath=/dev/null "${@:2}"
}

firm_begin() {
  firm_init "$1" --forge github,gitlab,forgejo && firm_git "$1" init --quiet && firm_git "$1" add --all &&
    firm_git "$1" commit --quiet --message Begin
}

# Without a host and for GitHub Pages, whose workflows differ; of the other hosts, a normal run checks a third.
firm_workflows() {
  local host site status=0 forges files hosts
  mapfile -t hosts < <(third cloudflare netlify vercel cloudfront nginx caddy apache)
  for host in '' github-pages "${hosts[@]}"; do
    forges=github,gitlab,forgejo site=$work/workflows/${host:-none}
    [[ $host != github-pages ]] || forges=github
    firm_init "$site" --forge "$forges" ${host:+--host "$host"} || return
    files=("$site/.github/workflows/site.yaml")
    [[ $host == github-pages ]] || files+=("$site/.forgejo/workflows/site.yaml")
    node "$node_tools/workflows.mjs" "${files[@]}" || status=1
    "$python_tools/bin/zizmor" --offline --no-progress "$site/.github/workflows" || status=1
    "$check" --builtin-schema vendor.github-workflows "${files[@]}" || status=1
    [[ $host == github-pages ]] || "$check" --builtin-schema vendor.gitlab-ci "$site/.gitlab-ci.yml" || status=1
  done
  return $status
}

# Prints a third of its arguments, chosen by the day or TEST_SEED; all of them in a long run, as tests/tools/extent.mjs does.
third() {
  local seed=${TEST_SEED:-$(($(date +%s) / 86400))} at=0 one
  for one; do
    ((TEST_TIMES == 1 && at++ % 3 != seed % 3)) || printf '%s\n' "$one"
  done
}

# Runs the script as a forge does: in a clean environment, with a program from an archive.
firm_run() {
  local folder=$1
  shift
  env -i PATH="$PATH" HOME="$work" LC_ALL=C.UTF-8 MOMENT="$firm_now" "$@"
}

firm_pin() {
  local folder=$1 release=$work/release name=mecelle-0.0.1-x86_64-unknown-linux-gnu
  mkdir -p "$release/$name/bin" && strip -o "$release/$name/bin/generator" "$bin/generator" || return
  tar -C "$release" -I 'gzip -1' -cf "$release/$name.tar.gz" "$name" && (cd "$release" && sha256sum "$name.tar.gz" >SHA256SUMS) || return
  ! firm_run "$folder" "$folder/scripts/ci" install || return
  ! firm_run "$folder" "$folder/scripts/ci" review 2>"$work/said" && grep -F 'run scripts/ci install' "$work/said" || return
  firm_run "$folder" "$folder/scripts/ci" pin "file://$release/$name.tar.gz" && firm_run "$folder" "$folder/scripts/ci" install &&
    "$folder/.mecelle/bin/generator" --version && grep -F 'service = false' "$folder/scripts/ci.conf" || return
  firm_git "$folder" commit --quiet --all --message "Pin the release" || return
  rm -r "$folder/.mecelle" && cp "$release/$name.tar.gz" "$release/kept" && printf x >>"$release/$name.tar.gz" || return
  ! firm_run "$folder" "$folder/scripts/ci" install && [[ ! -e $folder/.mecelle/bin ]] && mv "$release/kept" "$release/$name.tar.gz" &&
    firm_run "$folder" "$folder/scripts/ci" install
}

# A draft, an article for later, a renamed page and one that is removed.
firm_review() {
  local folder=$1 content=$1/content draft
  firm_git "$folder" checkout --quiet -b change || return
  draft=$("$bin/generator" new publication --en "Law of the sea" --content "$content") && printf '\nShips have a flag.\n' >>"$draft" || return
  mkdir "$content/publications/later" && sed "s/^draft: true/publish: $firm_later/; s/^slug: .*/slug: later/; s/^title: .*/title: Later/" \
    "$draft" >"$content/publications/later/index.en.md" || return
  sed -i 's/^slug: hakkimizda$/slug: biz-kimiz\naliases: [hakkimizda]/' "$content/pages/about/index.tr.md" &&
    sed -i '$a\\nA new sentence.' "$content/pages/about/index.en.md" && firm_git "$folder" add --all &&
    firm_git "$folder" commit --quiet --message Change || return
  firm_run "$folder" GITHUB_ACTIONS=true BASE=main GITHUB_STEP_SUMMARY="$work/summary" "$folder/scripts/ci" review || return
  cmp "$work/summary" "$folder/.mecelle/changes.md" && grep -F -e '- changed: `/en/about`' "$work/summary" &&
    grep -F -e '- new: `/tr/biz-kimiz`' "$work/summary" && grep -F -e '- gone: `/tr/hakkimizda`, leads to `/tr/biz-kimiz`' "$work/summary" &&
    ! grep -F 'law-of-the-sea' "$work/summary" || return
  [[ -s $folder/preview/en/publications/law-of-the-sea.html && -s $folder/preview/en/publications/later.html ]] &&
    [[ ! -e $folder/dist/en/publications/law-of-the-sea.html ]] && firm_sarif "$folder"
}

firm_sarif() {
  "$check" --schemafile "$node_tools/schemas/sarif-2.1.0.json" "$1/.mecelle/findings.sarif"
}

firm_report_errors() {
  local folder=$1
  sed -i '1a slugg: x' "$folder/content/pages/about/index.en.md"
  firm_run "$folder" GITHUB_ACTIONS=true BASE=main "$folder/scripts/ci" review >"$work/said" && return 1
  cat "$work/said"
  # GitLab uses another format.
  ! firm_run "$folder" GITLAB_CI=true "$folder/scripts/ci" check || return
  jq --exit-status '(map(.fingerprint) | length == (unique | length)) and any(.[]; .severity == "major" and
    .location == { path: "content/pages/about/index.en.md", lines: { begin: 2 } } and (.description | contains("slugg")))' \
    "$folder/.mecelle/codequality.json" || return
  grep '^::error file=content/pages/about/index.en.md,line=2,' "$work/said" && firm_sarif "$folder" &&
    jq --exit-status '[.runs[].results[].locations[].physicalLocation.artifactLocation.uri] | index("content/pages/about/index.en.md")' \
      "$folder/.mecelle/findings.sarif" && firm_git "$folder" checkout --quiet -- content &&
    firm_run "$folder" BASE=main "$folder/scripts/ci" changes
}

firm_comment_on_forges() {
  local folder=$1 kept=$work/comments api=http://127.0.0.1:$forge_port/api
  printf '[{ "id": 1, "body": "Well done" }]' >"$kept"
  python3 "$node_tools/forge.py" "$forge_port" "$kept" &
  servers+=($!)
  until (: <"/dev/tcp/127.0.0.1/$forge_port") 2>/dev/null; do kill -0 "${servers[-1]}" || return; sleep 0.1; done
  ! firm_comment GITHUB_API_URL="$api" GITHUB_REPOSITORY=firm/site PULL_REQUEST=7 TOKEN=wrong || return
  local time
  for time in first second; do
    firm_comment GITHUB_API_URL="$api" GITHUB_REPOSITORY=firm/site PULL_REQUEST=7 TOKEN=of-the-test &&
      firm_count_comments 2 || return
  done
  printf '[]' >"$kept"
  for time in first second; do
    firm_comment GITLAB_CI=true CI_API_V4_URL="$api" CI_PROJECT_ID=9 CI_MERGE_REQUEST_IID=7 TOKEN=of-the-test &&
      firm_count_comments 1 || return
  done
  # Without a token the step succeeds and loses nothing. A token is on disk only while it is needed, also if curl fails.
  firm_comment && firm_expect_failure curl firm_comment GITHUB_API_URL="$api" GITHUB_REPOSITORY=firm/site PULL_REQUEST=7 TOKEN=t &&
    [[ ! -e $folder/.mecelle/field ]]
}

# Runs a command while a tool fails; succeeds if the command called the tool and failed.
firm_expect_failure() {
  local tool=$1 status=0
  shift
  mkdir -p "$tools" && printf '#!/bin/sh\nls .mecelle >"%s"\nexit 1\n' "$work/seen" >"$tools/$tool" && chmod +x "$tools/$tool" || return
  rm -f "$work/seen"
  ! PATH=$tools:$PATH "$@" || status=1
  rm "$tools/$tool"
  [[ $status == 0 ]] && grep -x -e key -e field "$work/seen"
}

firm_comment() {
  firm_run "$folder" "$@" "$folder/scripts/ci" comment
}

firm_count_comments() {
  jq --exit-status --rawfile said "$folder/.mecelle/changes.md" --argjson count "$1" \
    'length == $count and (.[-1].body | endswith($said))' "$kept"
}

# The upload goes through a stand-in for ssh that runs the other end on this machine.
firm_publish() {
  local folder=$1
  mkdir -p "$tools" "$to" && printf '#!/bin/sh\nwhile [ "$1" != machine ]; do shift; done\nshift\nexec sh -c "$*"\n' >"$tools/ssh" &&
    printf '#!/bin/sh\necho "$*" >>"%s"\n' "$work/deploy-calls" >"$tools/sudo" && chmod +x "$tools/ssh" "$tools/sudo" || return
  firm_run "$folder" "$folder/scripts/ci" due && firm_run "$folder" "$folder/scripts/ci" build || return
  [[ $(cat "$folder/.mecelle/next-change") == "$firm_later" ]] || return
  ! firm_run "$folder" "$folder/scripts/ci" due && firm_run "$folder" MOMENT="$firm_later" "$folder/scripts/ci" due || return
  ! firm_run "$folder" "$folder/scripts/ci" deploy 2>"$work/said" && grep 'the secret DEPLOY_TO is not set' "$work/said" || return
  firm_expect_failure rsync firm_deploy && [[ ! -e $folder/.mecelle/key ]] || return
  firm_deploy && diff -r "$folder/dist" "$to" || return
  firm_run "$folder" MOMENT="$firm_later" "$folder/scripts/ci" build && firm_deploy && diff -r "$folder/dist" "$to" &&
    [[ -s $to/en/publications/later.html && ! -e $folder/.mecelle/key ]]
}

firm_deploy() {
  PATH=$tools:$PATH firm_run "$folder" DEPLOY_TO="machine:${1:-$to}" DEPLOY_KEY=key DEPLOY_KNOWN_HOSTS=known "$folder/scripts/ci" deploy
}

# Deploys to every host with stand-ins for their tools, which record their arguments and folder.
firm_deploy_to_hosts() {
  local folder=$1 tool host secret expected one without handed=
  for tool in npx aws; do
    printf '#!/bin/sh\nprintf "%%s %%s\\n" "$(basename "$PWD")" "$*" >>"%s"\n' "$work/deploy-calls" >"$tools/$tool" && chmod +x "$tools/$tool" || return
  done
  cat >>"$tools/aws" <<AWS
case "\$*" in
  *list-keys*) echo '{ "Items": [{ "Key": "/gone", "Value": "/en" }] }' ;;
  *KeyValueStoreARN*) echo arn:aws:cloudfront::1:key-value-store/s ;;
  *update-keys*) cat .mecelle/update.json >>"$work/deploy-calls" && echo tag ;;
  *) echo tag ;;
esac
AWS
  # A change must fail before it is merged if the host cannot serve it.
  sed -i 's/^host=.*/host=cloudflare/' "$folder/scripts/ci.conf" && ! firm_run "$folder" "$folder/scripts/ci" public 2>"$work/said" &&
    grep -F 'this build offers agents a service' "$work/said" && grep -F 'the host cannot serve this site' "$work/said" || return
  sed -i 's|^sidecar=.*|sidecar=https://agents.erguvan.example|' "$folder/scripts/ci.conf" || return
  while read -r host secret expected; do
    # One deployment is checked for several lines.
    [[ $host == "$handed" ]] || firm_hand_over || return
    handed=$host
    grep -F -e "$expected" "$work/deploy-calls" || { cat "$work/deploy-calls"; return 1; }
  done <<'HOSTS'
cloudflare CLOUDFLARE_API_TOKEN=t,CLOUDFLARE_ACCOUNT_ID=a host --yes wrangler@4.86.0 deploy
netlify NETLIFY_AUTH_TOKEN=t,NETLIFY_SITE_ID=s host --yes netlify-cli@23.9.5 deploy --prod
vercel VERCEL_TOKEN=of-the-test,VERCEL_ORG_ID=o,VERCEL_PROJECT_ID=p host --yes vercel@48.9.2 deploy --prod
cloudfront AWS_ACCESS_KEY_ID=i,AWS_SECRET_ACCESS_KEY=k,AWS_REGION=r,BUCKET=b,DISTRIBUTION=d firm s3 sync host/public s3://b --exclude * --include .well-known/api-catalog --content-type application/linkset+json
cloudfront AWS_ACCESS_KEY_ID=i,AWS_SECRET_ACCESS_KEY=k,AWS_REGION=r,BUCKET=b,DISTRIBUTION=d firm s3 sync host/public s3://b --exclude * --include *.md --content-type text/markdown
cloudfront AWS_ACCESS_KEY_ID=i,AWS_SECRET_ACCESS_KEY=k,AWS_REGION=r,BUCKET=b,DISTRIBUTION=d firm cloudfront publish-function --name mecelle-response --if-match tag
cloudfront AWS_ACCESS_KEY_ID=i,AWS_SECRET_ACCESS_KEY=k,AWS_REGION=r,BUCKET=b,DISTRIBUTION=d firm cloudfront-keyvaluestore update-keys --kvs-arn arn:aws:cloudfront::1:key-value-store/s --if-match tag
cloudfront AWS_ACCESS_KEY_ID=i,AWS_SECRET_ACCESS_KEY=k,AWS_REGION=r,BUCKET=b,DISTRIBUTION=d {"Key":"/tr/hakkimizda","Value":"/tr/biz-kimiz"}
cloudfront AWS_ACCESS_KEY_ID=i,AWS_SECRET_ACCESS_KEY=k,AWS_REGION=r,BUCKET=b,DISTRIBUTION=d "Deletes":[{"Key":"/gone"}]
HOSTS
  firm_serve nginx nginx.conf "-n nginx -t
-n systemctl reload nginx" && firm_serve caddy Caddyfile "-n systemctl reload caddy" || return
  # These hosts serve only files, without a service behind them.
  sed -i 's/^sidecar=.*/sidecar=/' "$folder/scripts/ci.conf" &&
    sed -i 's/^identity_types = .*/identity_types = []\nservice = false/' "$folder/content/site.toml" && firm_copy apache || return
  rm -rf "$folder/host" && sed -i "s/^host=.*/host=github-pages/" "$folder/scripts/ci.conf" &&
    firm_run "$folder" "$folder/scripts/ci" build && [[ -e $folder/host/public/.nojekyll ]]
}

# Builds for the host and deploys with its secrets. Without any one of them, nothing is deployed.
firm_hand_over() {
  rm -rf "$folder/host" && sed -i "s/^host=.*/host=$host/" "$folder/scripts/ci.conf" && : >"$work/deploy-calls" &&
    firm_run "$folder" "$folder/scripts/ci" build && [[ -d $folder/host/public ]] || return
  for one in ${secret//,/ }; do
    without=,$secret,
    without=${without/,$one,/,}
    # Unquoted: one setting per word.
    # shellcheck disable=SC2086
    ! PATH=$tools:$PATH firm_run "$folder" ${without//,/ } "$folder/scripts/ci" deploy 2>"$work/said" &&
      grep "the secret ${one%%=*} is not set" "$work/said" && [[ ! -s $work/deploy-calls ]] || return
  done
  # Unquoted: one setting per word.
  # shellcheck disable=SC2086
  PATH=$tools:$PATH firm_run "$folder" ${secret//,/ } "$folder/scripts/ci" deploy || { cat "$work/deploy-calls"; return 1; }
  # No tool receives a token in its arguments, and no token is left on disk.
  ! grep -r -F of-the-test "$work/deploy-calls" "$folder/.mecelle"
}

# A web server gets the public files and, beside them, its settings, which it reloads; other files there stay.
firm_serve() {
  rm -rf "$to" && mkdir -p "$to/public" && echo old >"$to/public/old" && echo kept >"$to/beside" && : >"$work/deploy-calls" || return
  firm_build "$1" && ! firm_deploy 2>"$work/said" && grep -F 'DEPLOY_TO must be the folder' "$work/said" &&
    [[ -e $to/beside ]] || return
  firm_deploy "$to/public" && diff -r "$folder/host/public" "$to/public" && cmp "$folder/host/$2" "$to/$2" &&
    [[ -e $to/beside && $(cat "$work/deploy-calls") == "$3" ]]
}

# Where the host needs no settings beside the public files, only these are uploaded.
firm_copy() {
  rm -rf "$to" && mkdir "$to" && firm_build "$1" && firm_deploy && diff -r "$folder/host/public" "$to"
}

firm_build() {
  rm -rf "$folder/host" && sed -i "s/^host=.*/host=$1/" "$folder/scripts/ci.conf" && firm_run "$folder" "$folder/scripts/ci" build
}
