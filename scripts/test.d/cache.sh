# Programs and packages of others, kept between clones: compiling and fetching them takes longer than all that they judge.
#
# Each list of exact versions has a folder named by its digest, below $TEST_CACHE or else the user's cache folder. A new
# list gets a new folder; a folder can be removed at any time, and is after 60 days without use.

# cached NAME FILE...: prints the folder for what the files list, on this kind of machine.
cached() {
  local name=$1 digest
  shift
  digest=$({ uname -sm; cat "$@"; } | sha256sum | head -c 16)
  printf '%s/%s-%s' "$TEST_CACHE" "$name" "$digest"
}

# fill FOLDER COMMAND...: runs the command, which puts something into the folder, unless it once succeeded. Two runs do not fill
# one folder at once.
fill() {
  local folder=$1
  shift
  [[ ! -e $folder/.complete ]] || { touch "$folder/.complete"; return 0; }
  mkdir -p "$folder" || return
  (
    # Linux has flock; elsewhere two first runs at once are the developer's affair.
    command -v flock >/dev/null && { exec {lock}>"$folder.lock" && flock "$lock" || exit; }
    [[ -e $folder/.complete ]] || { "$@" && : >"$folder/.complete"; }
  )
}

# Removes what no run has used for 60 days.
tidy() {
  local mark
  [[ ! -d $TEST_CACHE ]] || find "$TEST_CACHE" -mindepth 2 -maxdepth 2 -name .complete -mtime +60 |
    while read -r mark; do rm -rf "${mark%/.complete}" "${mark%/.complete}.lock"; done
}
