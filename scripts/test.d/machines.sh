# Several sidecars with Caddy, PostgreSQL and PgBouncer, as `deploy/compose-cluster.yaml` starts them.

machines() {
  local folder=$TMPDIR/machines build former='' public
  public=$(free_port)
  mkdir -p "$folder/templates/assets/css" || return
  # Three builds, each over the one before, with other style sheets.
  for build in one two three; do
    [[ ! $former ]] || cp -r "$folder/$former" "$folder/$build" || return
    { cat templates/assets/css/site.css && printf '.%s { color: #123456; }\n' $build; } >"$folder/templates/assets/css/site.css" &&
      "$bin/generator" build --content tests/fixtures/firm/content --templates "$folder/templates" --now "$built_for" \
        --site-url "http://127.0.0.1:$public" --out "$folder/$build" || return
    former=$build
  done
  "$python_tools/bin/python" "$node_tools/machines.py" "$bin" "$folder" "$public" "$(free_port)" "$(free_port)" "$(free_port)" \
    "$(free_port)" "$(free_port)"
}
