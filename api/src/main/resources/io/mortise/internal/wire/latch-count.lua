-- Sets a count-down latch, counts it down, deletes it, or inspects it. A repetition with the same id does no
-- harm while the id is remembered: the step counts once, and the reply is that of the first time.
-- At 0 all waiters go on.
--
-- KEYS   as in latch.lua
-- ARGV   1 id of this step, or ''
--        2 terms; the word is 'set', 'down', 'delete', or 'look' (changes nothing)
--        3 count (only 'set')
--        4 how long the id is remembered (ms)
-- Reply  COUNT, the count that is left (0 if deleted) [, more: look again at once (see queue.lua)]
--        KEPT, the count that is left    (only 'set': it was already set)
--        BELOW                           (only 'down': it is already open)
--        UNSET                           (only 'down', 'delete' and 'look')
--        FOREIGN, what was found
-- Rules  D1 D3 D4 Q2
--#queue
--#look
--#latch
local found = foreign()
if found then
  return found
end
if word == 'look' then
  return {left and 'COUNT' or 'UNSET', left}
end
if buried then
  return {'COUNT', left or 0}
end
--#leaving
if word == 'set' then
  if left then
    return {'KEPT', left}
  end
  left = tonumber(ARGV[3])
elseif not left then
  return {'UNSET'}
elseif word == 'delete' then
  bury(clock(), tonumber(ARGV[4])) -- first: a repetition must not delete the next round
  redis.call('ZREM', latch, '!count')
  return {'COUNT', 0}
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
--#granting
--#grants
  grant(now)
end
return {'COUNT', left, stopped and 'more' or nil}
