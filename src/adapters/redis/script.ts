/** Lua code that sets `now` (Unix ms) to this argument or, if that is empty, to the clock of Redis. */
function nowFrom(argument: number): string {
  return `local now = tonumber(ARGV[${argument}])
if not now then
  local time = redis.call("TIME")
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
`;
}

/**
 * `take` and `reconciled` in `domain/limits` as one Redis script: windows, strikes and ban in one atomic step. A test compares
 * the decisions of both.
 *
 * KEYS[1]: the hash of an API key. ARGV: limit per minute, limit per day, pardonedAt (Unix ms, 0 for none), now (Unix ms;
 * empty, as in the service, for the clock of Redis), the cost of a request (empty for no request), the time after which nothing
 * is done (Unix ms, empty for none); then what the process saw last, and what it hands over, each empty or a text: count and end
 * (Unix s) of the minute, of the day, and start (Unix ms), end (Unix s) and step of the ban (0 for none), separated by
 * spaces; before a handover, the process and the number.
 * Returns: outcome, now (Unix ms), minute count and end, day count and end, end of the ban (Unix s, 0 for none), and 1 if
 * the ban begins with this request, otherwise 0; and 1 if the process had seen more than was kept, otherwise 0.
 *
 * Fields of the hash: `mc`, `mr`, `mf`: count, end (Unix s) and first refusal (Unix ms) of the minute; `dc`, `dr`, `df`: of
 * the day; `s`: the strikes as `second:count` pairs, separated by commas; `bs`, `bu`, `bk`: start (Unix ms), end (Unix s)
 * and step of the ban; `h:` and a process: the number of its last handover, and when that is forgotten (Unix s).
 */
export const TAKE = `
local perMinute, perDay, pardonedAt = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
${nowFrom(4)}if ARGV[6] ~= "" and now > tonumber(ARGV[6]) then return { "late", now, 0, 0, 0, 0, 0, 0, 0 } end
local kept = redis.call("HMGET", KEYS[1], "mc", "mr", "mf", "dc", "dr", "df", "s", "bs", "bu", "bk")

local function isOpen(resetAt, seconds)
  local left = resetAt and resetAt * 1000 - now
  return left and left > 0 and left <= (seconds + 5) * 1000
end
local function window(count, resetAt, refusedAt, seconds)
  if isOpen(resetAt and resetAt * 1, seconds) then
    return { count = tonumber(count), resetAt = tonumber(resetAt), refusedAt = refusedAt and tonumber(refusedAt) or nil }
  end
  return { count = 0, resetAt = math.floor(now / 1000) + seconds, isNew = true }
end
local minute = window(kept[1], kept[2], kept[3], 60)
local day = window(kept[4], kept[5], kept[6], 86400)

local strikes = {}
for second, count in string.gmatch(kept[7] or "", "(%d+):(%d+)") do
  if tonumber(second) * 1000 > pardonedAt or pardonedAt == 0 then
    table.insert(strikes, { tonumber(second), tonumber(count) })
  end
end
local ban = kept[8] and { since = tonumber(kept[8]), untilSecond = tonumber(kept[9]), step = tonumber(kept[10]) } or nil
if ban and pardonedAt > 0 and ban.since <= pardonedAt then ban = nil end

local function learnBan(since, untilSecond, step)
  if untilSecond * 1000 <= now or since <= pardonedAt or (ban and ban.untilSecond >= untilSecond) then return end
  ban = { since = since, untilSecond = untilSecond, step = step }
end
local function numbersOf(text)
  local numbers = {}
  for number in string.gmatch(text, "-?%d+") do table.insert(numbers, tonumber(number)) end
  return numbers
end
local isLost = 0
local function restore(window, count, resetAt, seconds)
  if not isOpen(resetAt, seconds) then return end
  if count > 0 and (window.isNew or count > window.count) then isLost = 1 end
  if resetAt < window.resetAt then
    window.count = window.count + count
    window.resetAt = resetAt
  else
    window.count = math.max(window.count, count)
  end
  window.isNew = false
end
-- A repeated handover brings nothing new: what was seen before it may be more than is counted since.
local process, number, counted = string.match(ARGV[8], "^(%S+) (%d+) (.*)$")
local last = process and tonumber(string.match(redis.call("HGET", KEYS[1], "h:" .. process) or "0", "^%d+"))
local isRepeated = process and tonumber(number) <= last
if ARGV[7] ~= "" and not isRepeated then
  local seen = numbersOf(ARGV[7])
  restore(minute, seen[1], seen[2], 60)
  restore(day, seen[3], seen[4], 86400)
  learnBan(seen[5], seen[6], seen[7])
end

local function add(window, count, resetAt, seconds)
  if count == 0 or not isOpen(resetAt, seconds) then return end
  window.count = math.max(0, window.count + count)
  if window.isNew then window.resetAt = math.min(window.resetAt, resetAt) end
end
if process and not isRepeated then
  counted = numbersOf(counted)
  add(minute, counted[1], counted[2], 60)
  add(day, counted[3], counted[4], 86400)
  learnBan(counted[5], counted[6], counted[7])
  local all = redis.call("HGETALL", KEYS[1])
  for i = 1, #all, 2 do
    local forgottenAt = string.sub(all[i], 1, 2) == "h:" and tonumber(string.match(all[i + 1], "%d+$"))
    if forgottenAt and forgottenAt * 1000 <= now then redis.call("HDEL", KEYS[1], all[i]) end
  end
  redis.call("HSET", KEYS[1], "h:" .. process, number .. " " .. string.format("%.0f", math.max(day.resetAt, counted[4]) + 60))
end

local function strike()
  local second = math.floor(now / 1000)
  local recent, here, total = {}, 1, 1
  for _, pair in ipairs(strikes) do
    if pair[1] == second then
      here = pair[2] + 1
      total = total + pair[2]
    elseif pair[1] > second - 600 and pair[1] < second then
      table.insert(recent, pair)
      total = total + pair[2]
    end
  end
  table.insert(recent, { second, here })
  strikes = recent
  if total < math.max(100, perMinute) then return end
  local durations = { 300, 900, 3600, 86400 }
  local step = 0
  if ban and now < (ban.untilSecond + 86400) * 1000 then step = math.min(ban.step + 1, 3) end
  strikes = {}
  ban = { since = now, untilSecond = math.ceil(now / 1000) + durations[step + 1], step = step }
end

local outcome
local begins = 0
local cost = tonumber(ARGV[5])
local function hasRoom(window, limit) return window.count + math.max(1, cost) <= limit end
if ban and now < ban.untilSecond * 1000 then
  outcome = "key_banned"
elseif not cost then
  outcome = "allowed"
elseif hasRoom(minute, perMinute) and hasRoom(day, perDay) then
  outcome = "allowed"
  minute.count = minute.count + cost
  day.count = day.count + cost
else
  local isDayAtFault = not hasRoom(day, perDay) and (hasRoom(minute, perMinute) or day.resetAt >= minute.resetAt)
  local full = isDayAtFault and day or minute
  full.refusedAt = full.refusedAt or now
  if now - full.refusedAt >= 2000 then strike() end
  outcome = isDayAtFault and "quota_exceeded" or "rate_limit_exceeded"
  if ban and now < ban.untilSecond * 1000 then
    outcome = "key_banned"
    begins = 1
  end
end

local pairsOfStrikes = {}
for _, pair in ipairs(strikes) do table.insert(pairsOfStrikes, string.format("%.0f:%.0f", pair[1], pair[2])) end
local fields = { "mc", minute.count, "mr", minute.resetAt, "dc", day.count, "dr", day.resetAt }
local gone = {}
local function keep(name, value)
  if value then
    table.insert(fields, name)
    table.insert(fields, string.format("%.0f", value))
  else
    table.insert(gone, name)
  end
end
keep("mf", minute.refusedAt)
keep("df", day.refusedAt)
keep("bs", ban and ban.since)
keep("bu", ban and ban.untilSecond)
keep("bk", ban and ban.step)
if #pairsOfStrikes > 0 then
  table.insert(fields, "s")
  table.insert(fields, table.concat(pairsOfStrikes, ","))
else
  table.insert(gone, "s")
end
redis.call("HSET", KEYS[1], unpack(fields))
if #gone > 0 and (kept[3] or kept[6] or kept[7] or kept[8]) then redis.call("HDEL", KEYS[1], unpack(gone)) end
local over = math.max(day.resetAt, minute.resetAt)
if ban then over = math.max(over, ban.untilSecond + 86400) end
redis.call("PEXPIRE", KEYS[1], math.max(0, over * 1000 - now) + 600000)

local banEnd = ban and now < ban.untilSecond * 1000 and ban.untilSecond or 0
return { outcome, now, minute.count, minute.resetAt, day.count, day.resetAt, banEnd, begins, isLost }
`;

/**
 * Reads the limit state of a key and the time. KEYS[1]: the hash. ARGV: now, as above. Returns now (Unix ms), then the names
 * and values of the hash.
 */
export const READ_LIMIT_STATE = `
${nowFrom(1)}local answer = redis.call("HGETALL", KEYS[1])
table.insert(answer, 1, now)
return answer
`;
