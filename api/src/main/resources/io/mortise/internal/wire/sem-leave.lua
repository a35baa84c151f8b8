-- Releases what the id holds of a semaphore, or leaves its queue, and grants permits to the first
-- waiters for which there is room. For an id that neither holds nor waits it changes nothing.
--
-- KEYS   as in sem.lua
-- ARGV   as in leave.lua
-- Reply  as leave.lua
-- Rules  L10 L14 S1 S4 Q1 Q2 Q3 Q5. Uncontended: four commands, no TIME.
local held = redis.pcall('ZREM', KEYS[1], ARGV[1]) == 1
local others
if held then
  local id = ARGV[1]
  local freed = tonumber(string.match(id, ':p(%d+)$'))
  local returned = redis.call('ZSCORE', KEYS[1], '-' .. id)
  if returned then
    freed = freed - (tonumber(returned) - 4000000000000000)
    redis.call('ZREM', KEYS[1], '-' .. id)
  end
  redis.call('ZADD', KEYS[1], 'INCR', freed, '!free')
  others = redis.call('EXISTS', KEYS[2], KEYS[3])
  if others == 0 and not ARGV[3] then
    return 1
  end
end
--#queue
--#leaving
--#sem
--#granting
--#grants
local reply = held and 'RELEASED' or 'ABSENT'
if foreign(lookAhead, others) then
  return {reply}
end

local now = clock()
withdraw(now, tonumber(ARGV[3] or '0'), held)
if not total then
  return {reply} -- the waiters learn it at their next check
end
forget(now)
local _, complaint = grant(now)
settle()
return withGranted(reply, complaint)
