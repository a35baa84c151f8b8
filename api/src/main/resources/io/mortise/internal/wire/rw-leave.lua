-- Releases what the id holds of a read/write lock, or leaves its queue, and grants the lock to the
-- first waiters if there is room. For an id that neither holds nor waits it changes nothing.
--
-- KEYS   as in rw.lua
-- ARGV   as in leave.lua
-- Reply  as leave.lua
-- Rules  L3 L10 L14 Q2 Q3 Q5. Uncontended: two commands, no TIME.
local reader = string.match(ARGV[1], ':r$')
local held
if reader then
  held = redis.pcall('ZREM', KEYS[4], ARGV[1]) == 1
else
  held = redis.pcall('HDEL', KEYS[1], ARGV[1]) == 1
end
local others = held and redis.call('EXISTS', KEYS[2], KEYS[3]) or nil
if others == 0 and not ARGV[3] then
  return 1
end
--#queue
--#leaving
--#rw
--#granting
--#grants
local reply = held and 'RELEASED' or 'ABSENT'
local writers = held and not reader and {} or redis.pcall('HKEYS', lock) -- a writer was alone (Q1)
if foreign(lookAhead, writers, others) then
  return {reply}
end

local now = clock()
forget(now)
withdraw(now, tonumber(ARGV[3] or '0'), held)
local _, complaint = grant(now)
settle()
return withGranted(reply, complaint)
