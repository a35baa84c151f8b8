-- The exclusive lock: the part that acquire, leave and force share. It goes behind queue.lua.
--
-- KEYS  1 to 3 as in queue.lua
--       4 fence  string  the last reserved fencing token; only of a fenced lock. The hash of such a
--                        lock has the first token of a hold instead of 1
--
-- Q2: no script ends with the lock free and a waiter in the queue.
local fence = KEYS[4]

-- The taker holds the lock for ms. This must be the last that a script does with the lock: see
-- keep in queue.lua.
-- value: the hash's value for the taker, 1 if left out.
local function take(taker, ms, value)
  redis.call('HSET', lock, taker, value or '1')
  redis.call('PEXPIRE', lock, ms)
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
  for _ = 1, 1000 do
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
