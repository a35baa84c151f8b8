-- Releases what the id holds of a read/write lock, or leaves its queue, and grants the lock to the
-- first waiters if there is room. For an id that neither holds nor waits it changes nothing.
--
-- KEYS   as in rw.lua
-- ARGV   as in leave.lua
-- Reply  as leave.lua
-- Rules  L3 L10 L14 Q2 Q3 Q5. Uncontended: two commands, no TIME.
local held
if string.match(ARGV[1], ':r$') then
  held = redis.pcall('ZREM', KEYS[4], ARGV[1]) == 1
else
  held = redis.pcall('HDEL', KEYS[1], ARGV[1]) == 1
end
if held and not ARGV[3] and redis.call('EXISTS', KEYS[2], KEYS[3]) == 0 then
  return 1
end
--#queue
--#look
--#leaving
--#rw
--#granting
--#grants
local reply = held and 'RELEASED' or 'ABSENT'
if foreign() then
  return {reply}
end

local now = clock()
forget(now)
withdraw(now, tonumber(ARGV[3] or '0'), held)
local _, complaint = grant(now)
settle()
return withGranted(reply, complaint)
