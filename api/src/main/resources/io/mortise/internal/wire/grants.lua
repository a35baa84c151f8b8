-- The grants of a kind that several ids may hold at a time. It goes behind the file of a kind (rw,
-- sem or latch). That file has two functions:
-- - admits(id): is there room for the id?
-- - take(id, now, ms): the id holds from now on. A semaphore may refuse that.
--
-- Q2: no script ends with a first waiter that could hold.

-- The ids that the reply grants to.
local granted = {}

-- Grants to the first waiters, as many as there is room for. There are three cases:
-- - A waiter is the caller itself (own). It holds at once, with its lease.
-- - The reply may grant to it (mayGrantInReply). It holds at once, with its lease.
-- - Any other waiter gets a message. It holds for the grant window, and confirms in it.
-- Waiters that are gone are removed, also where there is no room, so that they keep no other out.
-- Returns whether the caller holds, and the server's complaint if it refused a message.
-- own, lease: id and lease (ms) of a caller that waits itself, or nil.
local function grant(now, own, lease)
  local deaf = {}
  local inside, complaint
  stopped = false
  for _ = 1, LOOKS do
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
    elseif live and mayGrantInReply(head) and take(head, now, granting) then
      granted[#granted + 1] = head
    elseif live then
      local told, refused = tell(head, now, deaf)
      if told then
        take(head, now, window)
        complaint = refused or complaint
      end
    end
  end
  stopped = redis.call('EXISTS', queue) == 1
  return inside, complaint
end

-- The reply of a leave.
local function withGranted(reply, complaint)
  granted[#granted + 1] = stopped and 'more' or nil
  if granted[1] then
    return {reply, complaint or '', unpack(granted)}
  end
  return {reply, complaint}
end

-- The end of an acquire (ARGV as in acquire.lua). A 'try' overtakes no waiter. Any other id joins
-- the queue. Both grant to the waiters for which they find room. Returns the reply.
-- tries: may a 'try' succeed at all? left: a function, ms until there may be room.
local function enter(now, micros, lease, tries, left)
  if word == 'try' then
    grant(now)
    if tries and redis.call('EXISTS', queue) == 0 and admits(id) then
      take(id, now, lease)
      return 1
    end
    return {'BUSY', left()}
  end

  local ticket = join(now, micros, ARGV[4])
  local inside, complaint = grant(now, id, lease)
  if inside then
    return 1
  end
  return {'WAIT', stopped and -1 or left(), ticket, micros, complaint}
end
