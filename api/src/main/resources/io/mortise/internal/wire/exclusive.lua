-- The exclusive lock, as acquire, leave and force share it. Put behind queue.lua.
--
-- KEYS  1 to 3 as in queue.lua
--       4 fence  string  the last fencing token in use; only of a fenced lock, whose hash holds the
--                        first token of a hold in place of the 1
--
-- Q2: no script ends with the lock free and somebody waiting.
local fence = KEYS[4]

-- The last that a script does with the lock (see keep). value: what the hash holds of the taker, 1 if left out.
local function take(taker, ms, value)
  redis.call('HSET', lock, taker, value or '1')
  redis.call('PEXPIRE', lock, ms)
end

-- The lock is free: gives it to the first waiter that lives, and tells its mailbox. A waiter that is
-- the caller itself is let through, to take it with its lease; one that the reply names has it with its lease. Others
-- get it for the grant window, in which they confirm. Returns whose it is now, and the server's complaint if it
-- refused the message.
-- own: id of a caller that waits itself, or nil.
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
    if live and isNamed(head) then
      take(head, naming)
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

-- Three things that redisson.lua does in another way, for a lock that others take and free too.

-- How long (ms) the lock that is free must not be taken, or -2.
local function reserved()
  return -2
end

-- The lock is free: because a hold was ended here and now (news), or it was found so. Returns as grant.
local function freed(now, news)
  return grant(now)
end

-- A hold was ended, and nobody waits. Returns the server's complaint if it refused a message.
local unwanted
