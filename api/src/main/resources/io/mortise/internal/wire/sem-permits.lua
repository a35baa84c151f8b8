-- Sets the number of permits of a semaphore, or inspects it.
--
-- KEYS   as in sem.lua
-- ARGV   1 ''
--        2 terms; the word is 'once' (changes nothing if they are set), 'resize', or 'look'
--          (changes nothing at all)
--        3 permits
-- Reply  SET [, more: look again at once (see queue.lua)]
--        KEPT, permits there are         (only 'once': they were already set)
--        PERMITS, free ones, 1 if the queue has waiters, else 0, permits there are (only 'look')
--        UNSET                           (only 'look': there is no semaphore)
--        FOREIGN, what was found
-- Rules  S1 S3 S4 Q2. It takes nothing from holders.
--#queue
--#look
--#sem
--#granting
--#grants
local found = foreign(look)
if found then
  return found
end
local now = clock()

if word == 'look' then
  if not total then
    return {'UNSET'}
  end
  local holders = redis.call('ZRANGE', permits, 2, -1, 'WITHSCORES')
  for i = 1, #holders, 2 do
    if tonumber(holders[i + 1]) <= now then
      free = free + weight(holders[i]) - returned(holders[i])
    end
  end
  local waiting = redis.call('ZRANGE', queue, 0, '+inf', 'BYSCORE', 'LIMIT', 0, 1)
  return {'PERMITS', free, #waiting, total}
end

if total and word == 'once' then
  return {'KEPT', total}
end
local wanted = tonumber(ARGV[3])
free = (free or 0) + wanted - (total or 0)
total = wanted
redis.call('ZADD', permits, total, '!total', free, '!free')
lasts(week)
forget(now)
grant(now)
settle()
return {'SET', stopped and 'more' or nil}
