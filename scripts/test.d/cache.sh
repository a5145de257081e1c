# Third-party programs and packages, kept between clones: compiling and downloading them takes longer than the checks.
#
# Each list of exact versions has a folder named by its digest, below $TEST_CACHE or the user's cache folder. A changed list
# gets a new folder. Folders may be removed at any time; `tidy` removes them after 60 days without use.

# cached NAME FILE...: prints the folder for the listed versions on this kind of machine.
cached() {
  local name=$1 digest
  shift
  digest=$({ uname -sm; cat "$@"; } | sha256sum | head -c 16)
  printf '%s/%s-%s' "$TEST_CACHE" "$name" "$digest"
}

# fill FOLDER COMMAND...: runs the command that fills the folder, unless it succeeded before. A lock keeps two runs from filling
# the same folder.
fill() {
  local folder=$1
  shift
  [[ ! -e $folder/.complete ]] || { touch "$folder/.complete"; return 0; }
  mkdir -p "$folder" || return
  (
    # Linux has flock; without it, do not start two first runs at once.
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
