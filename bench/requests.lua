-- Sends the requests of a file, one per line ("METHOD PATH" or "METHOD PATH BODY"), in turn and over again.
-- They are built before the clock starts. A single one is left to wrk itself, which then calls no Lua at all.

local function readRequests(file)
  local requests = {}
  for line in io.lines(file) do
    local method, path, body = line:match("^(%S+) (%S+) ?(.*)$")
    requests[#requests + 1] = { method = method, path = path, body = body ~= "" and body or nil }
  end
  return requests
end

function init(arguments)
  local requests = readRequests(arguments[1])
  if #requests == 1 then
    wrk.method, wrk.path, wrk.body = requests[1].method, requests[1].path, requests[1].body
    return
  end
  local texts, sent = {}, 0
  for i, each in ipairs(requests) do
    texts[i] = wrk.format(each.method, each.path, nil, each.body)
  end
  function request()
    sent = sent % #texts + 1
    return texts[sent]
  end
end

function done(summary)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"microseconds":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout
  ))
end
