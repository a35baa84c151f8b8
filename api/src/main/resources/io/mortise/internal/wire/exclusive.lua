-- The exclusive lock: the part that acquire, leave and force share. It goes behind granting.lua.
--
-- KEYS  1 to 3 as in queue.lua
--       4 fence  string  the last reserved fencing token; only of a fenced lock. The hash of such a
--                        lock has the first token of a hold instead of 1
--
-- asking.lua explains what the hash says of an id that ends in :k or :i.
--
-- Q2: no script ends with the lock free and a waiter in the queue.

-- The taker holds the lock for ms, and is not alone. This must be the last that a script does with
-- the lock: see keep in queue.lua. It comes before the taker leaves the queue. So a script that stops
-- here, because its slot is on its way, has taken no place from it.
-- value: the hash's value for the taker, if left out what says that.
local function take(taker, ms, value)
  redis.call('HSET', lock, taker, value or (string.match(taker, ':[ki]$') and '0' or '1'))
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
  stopped = false
  for _ = 1, LOOKS do
    local head, live = first(now)
    if not head then
      return nil
    end
    local told, complaint
    if live and head ~= own and not mayGrantInReply(head) then
      told, complaint = tell(head, deaf)
      live = told
    end
    if live and head ~= own then
      take(head, told and window or granting)
    end
    dequeue(head, told)
    if live then
      return head, complaint
    end
  end
  stopped = first(now) ~= nil
end
