# Identity assertions signed by an independent library, from the provider to the call that they allow.

idjag() {
  local folder=$work/idjag
  mkdir "$folder"
  node --test-reporter=spec "$node_tools/idjag.mjs" "$bin" "$dist" "$folder"
}
