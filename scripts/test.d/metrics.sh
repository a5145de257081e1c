# Monitoring by Prometheus: metrics, alerts and the dashboard.

metrics() {
  local public admin
  public=$(free_port) admin=$(free_port)
  serve "$work/metrics/service" "$public" "$dist" MECELLE_ADMIN_LISTEN="127.0.0.1:$admin" MECELLE_LOG_ACCESS=true \
    MECELLE_MAIL="outbox://$work/metrics/service/outbox" MECELLE_TRUST="$work/trust.toml" &&
    "$python_tools/bin/python" "$node_tools/metrics.py" "http://127.0.0.1:$public" "127.0.0.1:$admin" \
      "$work/metrics/prometheus" "$(free_port)"
}
