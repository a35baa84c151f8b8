-- Passes a count-down latch that is open, or joins the queue in front of it. It is also the answer to a grant.
--
-- KEYS   as in latch.lua
-- ARGV   as in rw-acquire.lua, 1 to 8; 2 is not used
-- Reply  OPEN
--        WAIT, -2, ticket, server time (us)     (also if it was never set)
--        BUSY, -2                               (only 'try')
--        FOREIGN, what was found
-- Rules  D1 D2 Q2 Q4. Open, and nobody in the queue: three commands.
if redis.pcall('ZSCORE', latch, '!count') == '0' and redis.call('EXISTS', queue) == 0 then
  redis.pcall('ZREM', alive, '?' .. mailbox(id))
  return {'OPEN'}
end

local found = foreign()
if found then
  return {'FOREIGN', found}
end
local now, micros = clock()
if count() == 0 then
  withdraw(now, 0)
  grant(now, {window = tonumber(ARGV[5]), mail = ARGV[7], counts = ARGV[8]})
  return {'OPEN'}
end
if ARGV[3] == 'try' then
  return {'BUSY', -2}
end
if count() then
  keep(latch, week)
end
return {'WAIT', -2, join(now, micros, tonumber(ARGV[4]), ARGV[6]), micros}
