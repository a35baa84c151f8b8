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

-- Whether a waiter counts as alive: it has asked lately, and its service has answered its last
-- grant.
-- ends, unanswered: what alive says of it and of its mailbox
local function lives(now, ends, unanswered)
  return ends and tonumber(ends) > now and not (unanswered and tonumber(unanswered) <= now)
end

-- The first in the queue, and whether it counts as alive.
local function first(now)
  local head = redis.call('ZRANGE', queue, 0, 0)[1]
  if not head then
    return nil
  end
  local known = redis.call('ZMSCORE', alive, head, '?' .. mailbox(head))
  return head, lives(now, known[1], known[2])
end

-- Sends a waiter the message that the lock is granted to it, with the server's time. Returns false
-- if no service listens there. Otherwise returns true, and the server's complaint if it refused the
-- message. The waiter is still in alive, so the mark is in a key that has an expiry. It needs no
-- longer one: it is about waiters that count as alive, and they are in the same key.
-- deaf: the mailboxes without a listener that this run has found.
local function tell(head, now, deaf)
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
  redis.call('ZADD', alive, 'NX', now + window, '?' .. box)
  return true, type(heard) == 'table' and heard.err or nil
end
