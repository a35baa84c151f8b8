-- The read/write lock, as its scripts share it. Put behind queue.lua, in front of rw-acquire, rw-leave
-- and rw-force. An id that ends in :r reads, any other writes.
--
-- KEYS  1 lock     hash  the writer's id -> 1
--       2 queue, 3 alive  as in queue.lua: one queue of readers and writers, in the order of their tickets
--       4 readers  zset  a reader's id -> time (ms) at which its lease ends; expires with the longest
--
-- Q1: whoever writes is alone, but for a reader of its own thread.
-- Q2: no script ends with a first waiter that could be inside.
local readers = KEYS[4]

local function reads(of)
  return string.match(of, ':r$')
end

-- Ended leases count no more.
local function forget(now)
  redis.call('ZREMRANGEBYSCORE', readers, '-inf', now)
end

-- What was found if a key is not of ours, or nil.
local function foreign()
  local kind = stranger('zset')
  if kind then
    return kind
  end
  if redis.call('PTTL', lock) == -1 then
    return 'hash without expiry'
  end
  if redis.call('PTTL', readers) == -1 then
    return 'sorted set without expiry'
  end
end

-- Ended leases are forgotten: whether the lock has room for one more.
local function admits(candidate)
  if reads(candidate) then
    return redis.call('EXISTS', lock) == 0
  end
  return redis.call('EXISTS', lock, readers) == 0
end

-- Inside from now on, or still, and for so long at least.
local function take(taker, now, ms)
  if reads(taker) then
    redis.call('ZADD', readers, 'GT', now + ms, taker)
    keep(readers, ms)
  else
    redis.call('HSET', lock, taker, 1)
    keep(lock, ms)
  end
end

-- Lets in the first waiters, as many as there is room for: one writer, or all readers up to the next
-- writer. A waiter that is the caller itself goes in at once, with its lease; others are told, and
-- have the grant window to confirm in. Who is gone is taken out, also where there is no room, so that
-- it keeps nobody out. Returns whether the caller is in, and the server's complaint if it refused a
-- message.
-- own: id and lease (ms) of a caller that waits itself, or nil.
local function grant(now, terms, own, lease)
  local deaf = {}
  local inside, complaint
  for _ = 1, 1000 do
    local head = redis.call('ZRANGE', queue, 0, 0)[1]
    local live = head and lives(head, now)
    if not head or live and not admits(head) then
      return inside, complaint
    end
    redis.call('ZREM', queue, head)
    redis.call('ZREM', alive, head)
    if live and head == own then
      take(head, now, lease)
      inside = true
    elseif live then
      local told, refused = tell(head, now, terms, deaf)
      if told then
        take(head, now, terms.window)
        complaint = refused or complaint
      end
    end
  end
  return inside, complaint
end
