-- `wrk … -- proxied` adds the headers of a proxy to each request, with a new client and a new id each time.
function init(args)
  if args[1] ~= "proxied" then return end
  local requests, last = {}, 0
  for number = 1, 200 do
    wrk.headers["X-Forwarded-For"] = "203.0.113." .. number
    wrk.headers["X-Request-Id"] = string.format("%032x", number * 7919)
    requests[number] = wrk.format()
  end
  function request()
    last = last % #requests + 1
    return requests[last]
  end
end

-- Writes one tab-separated line: requests, seconds, 50th and 99th percentile in microseconds, failures.
function done(summary, latency)
  local e = summary.errors
  io.write(string.format("RESULT\t%d\t%.6f\t%d\t%d\t%d\n", summary.requests, summary.duration / 1e6,
    latency:percentile(50), latency:percentile(99), e.connect + e.read + e.write + e.status + e.timeout))
end
