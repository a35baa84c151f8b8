-- Passes a count-down latch if it is open, or joins its queue. It is also the answer to a grant.
--
-- KEYS   as in latch.lua
-- ARGV   1 to 4 as in rw-acquire.lua; 3 is not used
-- Reply  OPEN
--        WAIT, -2, ticket, server time (us)     (also if it was never set)
--        BUSY, -2                               (only 'try')
--        FOREIGN, what was found
-- Rules  D1 D2 Q2 Q4. Open, and the queue is empty: two commands.
if redis.pcall('ZSCORE', KEYS[1], '!count') == '0' and redis.call('EXISTS', KEYS[2]) == 0 then
  return {'OPEN'}
end
--#queue
--#look
--#latch

local found = foreign()
if found then
  return found
end
local now, micros = clock()
if left == 0 then
--#leaving
--#granting
--#grants
  withdraw(now, 0)
  grant(now)
  return {'OPEN'}
end
if word == 'try' then
  return {'BUSY', -2}
end
if left then
  keep(latch, week)
end
--#join
return {'WAIT', -2, join(now, micros, ARGV[4]), micros}
