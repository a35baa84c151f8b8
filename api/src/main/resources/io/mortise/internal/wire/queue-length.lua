-- Counts the waiters of a lock and changes nothing.
--
-- KEYS   1 queue
-- Reply  QUEUE, the number of waiters
--        FOREIGN, what was found
local queue = KEYS[1]
local kind = redis.call('TYPE', queue).ok
if kind ~= 'none' and kind ~= 'zset' then
  return {'FOREIGN', kind}
end
return {'QUEUE', redis.call('ZCOUNT', queue, 0, '+inf')}
