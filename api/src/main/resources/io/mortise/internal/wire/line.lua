-- The end of the wait where several may be inside. Put behind the part of a kind (rw, sem, latch), which says
-- who has room, admits(id), and what being inside is, take(id, now, ms), which a semaphore may refuse.
--
-- Q2: no script ends with a first waiter that could be inside.

-- Whom the reply names.
local named = {}

-- Lets in the first waiters, as many as there is room for. A waiter that is the caller itself goes in at
-- once, with its lease; so does one that the reply names. Others are told by a message, and are in for the grant
-- window, until they confirm. Who is gone is taken out, also where there is no room, so that it keeps nobody
-- out. Returns whether the caller is in, and the server's complaint if it refused a message.
-- own: id and lease (ms) of a caller that waits itself, or nil.
local function grant(now, own, lease)
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
    elseif live and isNamed(head) and take(head, now, naming) then
      named[#named + 1] = head
    elseif live then
      local told, refused = tell(head, now, deaf)
      if told then
        take(head, now, window)
        complaint = refused or complaint
      end
    end
  end
  return inside, complaint
end

-- The end of a leave, as its reply.
local function withNames(reply, complaint)
  if named[1] then
    return {reply, complaint or '', unpack(named)}
  end
  return {reply, complaint}
end

-- The end of an acquire (ARGV as in acquire.lua): a 'try' passes nobody, any other stands in line, and
-- both let in whom they find room for. Returns the reply.
-- tries: whether a 'try' may be let in at all. left: a function, ms until there may be room.
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
  return {'WAIT', left(), ticket, micros, complaint}
end
