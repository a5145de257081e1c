# Fuzzes every parser of untrusted bytes with libFuzzer, starting from the seeds in fuzz/corpus; one minute for each target.
#
# The pinned toolchain is enough without a sanitizer. A sanitizer would find misuse of memory; the product has no unsafe code.

cargo_fuzz_version=0.13.2
cargo_fuzz_kept=$(cached cargo-fuzz <(echo "$cargo_fuzz_version"))
# The programs, and the inputs that reached new code, from which the next run starts.
fuzz_kept=$(cached fuzz "$root"/fuzz/Cargo.{lock,toml} "$root/rust-toolchain.toml")

fuzz_targets() {
  local source target status=0 found=$logs/fuzz
  command -v c++ >/dev/null || { printf 'Not run: libFuzzer is compiled with c++, which is not on the path.\n'; return 0; }
  cargo fmt --manifest-path fuzz/Cargo.toml --check || status=1
  if ! cargo fuzz --version 2>/dev/null; then
    fill "$cargo_fuzz_kept" compile_cargo_fuzz || return
    local PATH=$cargo_fuzz_kept/bin:$PATH
  fi
  mkdir -p "$found"
  for source in fuzz/fuzz_targets/*.rs; do
    target=$(basename "$source" .rs)
    printf '\n== %s\n' "$target"
    mkdir -p "$fuzz_kept/corpus/$target"
    cargo fuzz run --sanitizer none --target-dir "$fuzz_kept" "$target" "$fuzz_kept/corpus/$target" "fuzz/corpus/$target" -- \
      -max_total_time=60 -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$found/$target-" && continue
    status=1
    printf 'To repeat a finding, run\n'
    printf '    cargo fuzz run --sanitizer none %s FILE\n' "$target"
    printf 'with one of these files: %s\n' "$(echo "$found/$target"-*)"
  done
  return $status
}

# Without optimization, as cargo-deny.
compile_cargo_fuzz() {
  cargo install -q --locked --debug --version "$cargo_fuzz_version" --root "$cargo_fuzz_kept" \
    --target-dir "$cargo_fuzz_kept/target" cargo-fuzz && rm -rf "$cargo_fuzz_kept/target"
}
