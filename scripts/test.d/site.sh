# The built site: its files, and as the sidecar and a plain web server serve them.

# Every HTML file, including the pages for unknown addresses.
validate_html() {
  env -C "$node_tools" node_modules/.bin/html-validate --config html-validate.mjs --max-warnings 0 "$dist"
}

# judge NAME ARGUMENT...: runs one of the judges in tests/tools.
judge() {
  local name=$1
  shift
  node "$node_tools/$name.mjs" "$url" "$dist" "$@"
}

browser() {
  judge browser && judge search
}

# Small firms: one lawyer, one language, and portraits of every shape, which a normal run checks only on pages that show people.
small_firms() {
  local name own_port content=$work/small/content status=0 only
  "$python_tools/bin/python" "$node_tools/small.py" tests/fixtures/firm/content "$content" || return
  for name in "$content"/*; do
    name=$(basename "$name") own_port=$(free_port) only=()
    [[ $name != faces ]] || ((TEST_TIMES > 1)) || only=(--only=home,team,person)
    "$bin/generator" build --content "$content/$name" --out "$work/small/$name" --now "$built_for" \
      --site-url "http://127.0.0.1:$own_port" &&
      serve "$work/small/service-$name" "$own_port" "$work/small/$name" MECELLE_MAIL=none &&
      node "$node_tools/browser.mjs" "http://127.0.0.1:$own_port" "$work/small/$name" --once "${only[@]}" || status=1
  done
  return $status
}

# Saves, errors and recovery as a browser shows them.
preview() {
  node "$node_tools/preview.mjs" "$bin/generator" "$root/tests/fixtures/firm/content" "$root/templates" "$work/preview"
}

# The editor in the browser, on the demonstration.
editor() {
  mkdir -p "$work/editor" &&
    node "$node_tools/editor.mjs" "$bin/generator" "$root/content" "$root/templates" "$editor_kept/sveltia-cms-$editor_version.tgz" "$work/editor"
}

documents() {
  judge documents "$built_for" && "$python_tools/bin/python" "$node_tools/vcards.py" "$dist" &&
    "$python_tools/bin/python" "$node_tools/consumers.py" "$dist" $((8 * ${TEST_TIMES:-1})) &&
    "$python_tools/bin/python" "$node_tools/titles.py" "$bin/generator" tests/fixtures/firm/content "$work/titles"
}

# Logos of drawing programs, as the build draws them and as a browser shows them.
logos() {
  node "$node_tools/logos.mjs" "$bin/generator" "$root/tests/fixtures/firm/content" "$root/tests/fixtures/logos" "$work/logos"
}

# Files with a public schema.
validate_schemas() {
  local status=0
  validate_xml || status=1
  # Registries of MCP servers accept public addresses only.
  mkdir -p "$work/registry" &&
    sed "s|$url|https://firm.example|g" "$dist/.well-known/mcp/server.json" >"$work/registry/server.json" &&
    "$python_tools/bin/skillsaw" lint --strict "$work/registry" || status=1
  return $status
}

validate_xml() {
  local schemas=$node_tools/schemas file status=0
  for file in "$dist"/sitemap*.xml; do
    xmllint --noout --nonet --schema "$schemas/sitemap.xsd" "$file" || status=1
  done
  while read -r -d '' file; do
    xmllint --noout --nonet --relaxng "$schemas/atom.rng" "$file" || status=1
  done < <(find "$dist" -name atom.xml -print0)
  return $status
}

# Compares the fields that `generator schema` describes with those that the generator accepts.
fields() {
  "$python_tools/bin/python" "$node_tools/fields.py" "$bin/generator" "$root" "$work/fields"
}

# Documents of Word and an export of WordPress as entries.
import() {
  mkdir -p "$work/import" &&
    "$python_tools/bin/python" "$node_tools/import.py" "$bin/generator" "$root/tests/fixtures/firm/content" "$work/import"
}

# The corpus for benchmarks is valid content, with either set of templates.
corpus() {
  local folder=$work/corpus of
  python3 benches/make_corpus.py "$folder" 3 || return
  for of in templates "$folder/mecelle/templates"; do
    "$bin/generator" build --content "$folder/mecelle/content" --templates "$of" --out "$folder/dist" \
      --now "$built_for" --compression none || return
  done
}

# Uses a server of its own, whose connections and memory are counted.
robustness() {
  local own_port
  own_port=$(free_port)
  serve "$work/robustness/service" "$own_port" "$dist" MECELLE_MAIL=none &&
    python3 "$node_tools/robustness.py" "http://127.0.0.1:$own_port" "${servers[0]}"
}

# Valid but odd files at the edge of each limit.
bounds() {
  "$python_tools/bin/python" "$node_tools/bounds.py" "$bin/generator" "$root/tests/fixtures/firm/content" "$work/bounds"
}
