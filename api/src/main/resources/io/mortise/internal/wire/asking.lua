-- How an id asks for the lock that another one holds. This part goes behind queue.lua.
--
-- The service of an id that ends in :k or :i hears a message that its hold is wanted. Until then it
-- may keep the hold, with :i also while none of its threads is inside. It does so only with a hold
-- that is alone: when it began, nobody held, waited or was remembered. The hash says of such an id:
--   1         it is alone, and was not asked for
--   0         it is not alone, so it goes back soon
--   a time    it is alone, and was last asked for then (ms)

-- RECALL (ms): a service that was asked for so long ago has given the lock back, or is inside.
-- AGAIN (ms): it is asked again after so long, since a message may be lost. It is half of the
-- re-check period, so a waiter that checks again asks again.
local RECALL, AGAIN = 100, 1000

-- An id wants the lock that another one holds: asks the holder for it, if it is alone. It is asked
-- once in AGAIN by all that want it. A message that nobody hears is not counted.
-- value: what the hash says of the holder, if there is one.
-- Returns whether it may turn out soon that nobody is inside.
local function wanted(now, holder, value)
  if not holder or value == '0' or not string.match(holder, ':[ki]$') then
    return false
  end
  local since = value ~= '1' and now - tonumber(value) or AGAIN
  if since < 0 or since >= AGAIN then
    local message = 'wanted|' .. holder .. '|' .. lock
    local heard = redis.pcall('PUBLISH', mail .. mailbox(holder), message)
    if type(heard) == 'table' or heard == 0 and counts == '1' then
      return false
    end
    redis.pcall('HSET', lock, holder, now) -- a full server refuses it; then it is asked again
    since = value == '1' and 0 or since
  end
  return since < RECALL and string.match(holder, ':i$')
end
