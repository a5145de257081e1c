# Identity assertions that an independent library signs, from the provider to the call that they open.

idjag() {
  local folder=$work/idjag
  rm -rf "$folder" && mkdir -p "$folder"
  bounded node --test-reporter=spec "$node_tools/idjag.mjs" "$bin" "$dist" "$folder"
}
