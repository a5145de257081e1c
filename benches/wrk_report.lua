-- One tab-separated line: requests, seconds, 50th and 99th percentile in microseconds, failures.
function done(summary, latency)
  local e = summary.errors
  io.write(string.format("RESULT\t%d\t%.6f\t%d\t%d\t%d\n", summary.requests, summary.duration / 1e6,
    latency:percentile(50), latency:percentile(99), e.connect + e.read + e.write + e.status + e.timeout))
end
