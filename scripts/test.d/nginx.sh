# nginx with the settings from deploy/, in a separate folder.

# Starts nginx in the folder $1 with deploy/$2; the remaining arguments are sed commands that change names in that file.
start_nginx() {
  local prefix=$1 settings=$2 folder
  shift 2
  mkdir -p "$prefix/temp"
  sed -e '/listen \[::\]/d' "$@" "$root/deploy/$settings" >"$prefix/settings.conf" || return 1
  {
    printf 'daemon off;\nuser %s;\npid nginx.pid;\nevents { worker_connections 64; }\nhttp {\n' "$(id -un) $(id -gn)"
    for folder in client_body proxy fastcgi uwsgi scgi; do printf '%s_temp_path temp/%s;\n' $folder $folder; done
    # The access log that a distribution configures unless a server overrides it.
    printf 'access_log access.log combined;\ninclude settings.conf;\n}\n'
  } >"$prefix/nginx.conf"
  nginx -p "$prefix" -c nginx.conf -e error.log &
  servers+=($!)
}
