-- The exclusive lock: the part that acquire, leave and force share. It goes behind queue.lua.
--
-- KEYS  1 to 3 as in queue.lua
--       4 fence  string  the last reserved fencing token; only of a fenced lock. The hash of such a
--                        lock has the first token of a hold instead of 1
--
-- The service of an id that ends in :k or :i hears a message that its hold is wanted. Until then it
-- may keep the hold, with :i also while none of its threads is inside. It does so only with a hold
-- that is alone: when it began, nobody held, waited or was remembered. The hash says of such an id:
--   1         it is alone, and was not asked for
--   0         it is not alone, so it goes back soon
--   a time    it is alone, and was last asked for then (ms)
--
-- Q2: no script ends with the lock free and a waiter in the queue.
local fence = KEYS[4]

-- RECALL (ms): a service that was asked for so long ago has given the lock back, or is inside.
-- AGAIN (ms): it is asked again after so long, since a message may be lost. It is half of the
-- re-check period, so a waiter that checks again asks again.
local RECALL, AGAIN = 100, 1000

-- Whether its service hears that its hold is wanted.
local function hears(holder)
  return string.match(holder, ':[ki]$')
end

-- The taker holds the lock for ms, and is not alone. This must be the last that a script does with
-- the lock: see keep in queue.lua.
-- value: the hash's value for the taker, if left out what says that.
local function take(taker, ms, value)
  redis.call('HSET', lock, taker, value or (hears(taker) and '0' or '1'))
  redis.call('PEXPIRE', lock, ms)
end

-- An id wants the lock that another one holds: asks the holder for it, if it is alone. It is asked
-- once in AGAIN by all that want it. A message that nobody hears is not counted.
-- Returns the holder, and whether it may turn out soon that nobody is inside.
local function wanted(now)
  local holder = redis.call('HKEYS', lock)[1]
  if not holder or not hears(holder) then
    return holder
  end
  local value = redis.call('HGET', lock, holder)
  if value == '0' then
    return holder
  end
  local since = value ~= '1' and now - tonumber(value) or AGAIN
  if since < 0 or since >= AGAIN then
    local message = 'wanted|' .. holder .. '|' .. lock
    local heard = redis.pcall('PUBLISH', mail .. mailbox(holder), message)
    if type(heard) == 'table' or heard == 0 and counts == '1' then
      return holder
    end
    redis.pcall('HSET', lock, holder, now) -- a full server refuses it; then it is asked again
    since = value == '1' and 0 or since
  end
  return holder, since < RECALL and string.match(holder, ':i$')
end

-- The lock is free: gives it to the first live waiter. There are three cases:
-- - The waiter is the caller itself (own). It is only returned, and then acquires with its lease.
-- - The reply may grant to it (mayGrantInReply). It holds with its lease at once.
-- - Any other waiter gets a message in its mailbox. It holds for the grant window, and confirms in
--   it.
-- Returns the id that the lock belongs to now, and the server's complaint if it refused the
-- message.
-- own: the id of a caller that waits itself, or nil.
local function grant(now, own)
  local deaf = {}
  stopped = false
  for _ = 1, LOOKS do
    local head = redis.call('ZPOPMIN', queue)[1]
    if not head then
      return nil
    end
    local live = lives(head, now)
    redis.call('ZREM', alive, head)
    if live and head == own then
      return head
    end
    if live and mayGrantInReply(head) then
      take(head, granting)
      return head
    end
    if live then
      local told, complaint = tell(head, now, deaf)
      if told then
        take(head, window)
        return head, complaint
      end
    end
  end
  stopped = redis.call('EXISTS', queue) == 1
end

-- redisson.lua replaces the next three functions, because other clients acquire and release its
-- lock too.

-- How long (ms) the lock must stay free, although it is free now; -2 if it need not.
local function reserved()
  return -2
end

-- The lock is free. news: this script ended a hold; otherwise it only found the lock free.
-- Returns as grant.
local function freed(now, news)
  return grant(now)
end

-- A hold was ended, and no id waits. Returns the server's complaint if it refused a message.
local unwanted
