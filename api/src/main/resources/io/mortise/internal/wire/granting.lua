-- How a waiter is found and told of its grant. This part goes behind queue.lua.

-- A release whose word is a lease (ms) may grant in its reply. It grants with that lease, to
-- waiters of its own service that want no other lease (:n in their ids), and the reply lists them.
--
-- Q5: an id that the reply grants to holds with its own lease, as if its own command had been
-- answered.
local granting = tonumber(string.match(word, '^%d+$') or '')

local function mayGrantInReply(head)
  return granting and mailbox(head) == home and string.match(head, ':n')
end

-- Of the waiter that first() has returned: its ticket, and what alive says of it.
local place, remembered

-- Whether this run has removed the ids that did not confirm their grants. Those to which it has
-- granted itself are in front of the waiters from then on.
local sifted = false

-- Removes the ids that were granted the lock by message, and do not hold it any more: their
-- services did not confirm in time. Marks their mailboxes as silent since then. One run looks at a
-- few. Those in front of others confirm soon, or are found by the next run.
-- holds: a function, whether an id holds; nil if no id does
local function sift(now, holds)
  local granted = redis.call('ZRANGE', queue, '-inf', '(0', 'BYSCORE', 'LIMIT', 0, 10)
  for _, each in ipairs(granted) do
    if not (holds and holds(each)) then
      redis.call('ZADD', alive, now - window, '?' .. mailbox(each))
      redis.call('ZREM', queue, each)
      redis.call('ZREM', alive, each)
      keep(alive, patience)
    end
  end
end

-- The first that waits, and whether it counts as alive: it has asked lately, and its mailbox is not
-- silent since then.
-- holds: as for sift()
local function first(now, holds)
  local found = front
  front = nil
  if not sifted then
    sifted = true
    found = found or redis.call('ZRANGE', queue, 0, 0, 'WITHSCORES')
    if found[1] and tonumber(found[2]) < 0 then
      sift(now, holds)
      found = nil
    end
  end
  found = found or redis.call('ZRANGE', queue, 0, '+inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')
  local head, silent = found[1], found[4]
  if not head then
    return nil
  end
  place, remembered = tonumber(found[2]), found[3]
  if remembered == nil then
    local known = redis.call('ZMSCORE', alive, head, '?' .. mailbox(head))
    remembered, silent = known[1], known[2]
  end
  local since = asked(place, remembered)
  return head, since + patience > now and not (silent and since <= tonumber(silent))
end

-- Sends a waiter the message that the lock is granted to it, with the server's time. Returns false
-- if no service listens there. Otherwise returns true, and the server's complaint if it refused the
-- message.
-- deaf: the mailboxes without a listener that this run has found.
local function tell(head, deaf)
  local box = mailbox(head)
  if deaf[box] then
    return false
  end
  local seconds, fraction = time[1], time[2]
  local message = 'grant ' .. seconds .. ' ' .. fraction .. '|' .. head .. '|' .. lock
  local heard = redis.pcall('PUBLISH', mail .. box, message)
  if heard == 0 and counts == '1' then
    deaf[box] = true
    return false
  end
  return true, type(heard) == 'table' and heard.err or nil
end

-- The first that waits leaves the queue. If it has to confirm its grant, it stays there until then,
-- in front of all that wait.
local function dequeue(head, confirms)
  if confirms then
    redis.call('ZADD', queue, -place, head)
    return
  end
  redis.call('ZREM', queue, head)
  if remembered then
    redis.call('ZREM', alive, head)
  end
end
