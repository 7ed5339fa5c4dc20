-- Sends the requests of a file, one per line ("METHOD PATH" or "METHOD PATH BODY"), in turn and over again.
-- They are built before the clock starts. A single one is left to wrk itself, which then calls no Lua at all.
-- With a file of keys, one per line, the first request is sent again and again, each time with a key chosen at random.

local function readRequests(file)
  local requests = {}
  for line in io.lines(file) do
    local method, path, body = line:match("^(%S+) (%S+) ?(.*)$")
    requests[#requests + 1] = { method = method, path = path, body = body ~= "" and body or nil }
  end
  return requests
end

local function sendWithKeys(first, file)
  local texts = {}
  for secret in io.lines(file) do
    local headers = { Authorization = "Bearer " .. secret }
    texts[#texts + 1] = wrk.format(first.method, first.path, headers, first.body)
  end
  function request()
    return texts[math.random(#texts)]
  end
end

function init(arguments)
  local requests = readRequests(arguments[1])
  if arguments[2] then return sendWithKeys(requests[1], arguments[2]) end
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
