-- Sets a count-down latch, counts it down, or looks at it. Repeating a step with the same id does no harm as
-- long as it is remembered: it is counted once, and answered as the first time. At 0 all who wait go on.
--
-- KEYS   as in latch.lua
-- ARGV   1 id of this step, or '', 2 terms, the word 'set', 'down' or 'look' (changes nothing), 3 count (only
--        'set'), 4 how long the id is remembered (ms)
-- Reply  COUNT, what is left
--        KEPT, what is left              (only 'set': it was set already)
--        BELOW                           (only 'down': it is open already)
--        UNSET                           (only 'down' and 'look')
--        FOREIGN, what was found
-- Rules  D1 D3 D4
--#shared
local found = foreign()
if found then
  return {'FOREIGN', found}
end
local left = count()
if word == 'look' then
  return {left and 'COUNT' or 'UNSET', left}
end
if redis.call('ZSCORE', alive, '!' .. id) then
  return {'COUNT', left or 0}
end
if word == 'set' then
  if left then
    return {'KEPT', left}
  end
  left = tonumber(ARGV[3])
elseif not left then
  return {'UNSET'}
elseif left == 0 then
  return {'BELOW'}
else
  left = left - 1
end

local now = clock()
redis.call('ZADD', latch, left, '!count')
keep(latch, week)
bury(now, tonumber(ARGV[4]))
if left == 0 then
  grant(now)
end
return {'COUNT', left}
