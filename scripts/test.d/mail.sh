# E-mails and what their recipients do with them: sent to a mail server, and followed in a browser.

mail() {
  local folder=$work/mail
  mkdir "$folder"
  "$python_tools/bin/python" "$node_tools/mail.py" "$bin/sidecar" "$dist" "$folder"
}

# The server of the other steps writes its e-mails to a folder.
claim() {
  node "$node_tools/claim.mjs" "$url" "$dist" "$work/server/service/outbox"
}
