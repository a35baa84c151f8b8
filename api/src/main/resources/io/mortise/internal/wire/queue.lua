-- The queue of one lock: the part that the scripts of all kinds of lock share.
--
-- KEYS  1 lock   hash  acquisition id -> 1; exists while the lock is held or granted, always with
--                      an expiry; of a semaphore or a latch a zset
--       2 queue  zset  waiting id -> ticket: the server's time (us) when it joined
--       3 alive  zset  waiting id -> time (ms) after which it counts as gone
--                      !id        -> end (ms) of a tombstone: this id must not acquire any more
--                      ?mailbox   -> end (ms) of a grant that this mailbox has not answered
--       4        only of some kinds of lock
--
-- ARGV  1 acquisition id, or ''
--       2 terms: a word that each script explains, how long a waiter counts as alive (ms), grant
--         window (ms), '1' if PUBLISH counts every subscriber, prefix of mailboxes
--
-- In a cluster, a script stops half-way if its slot is on its way and it touches a key that it has
-- emptied. So members are added to alive before others are removed.
--
-- Numbers go to redis.call and into replies as numbers, never through text.
local lock, queue, alive = KEYS[1], KEYS[2], KEYS[3]
local id = ARGV[1]
local word, patience, window, counts, mail = string.match(ARGV[2], '^(%S+) (%d+) (%d+) (%d) (.*)$')
patience, window = tonumber(patience), tonumber(window)

local function mailbox(of)
  return string.match(of, '^[^:]*')
end

-- A release whose word is a lease (ms) may grant in its reply. It grants with that lease, to
-- waiters of its own service that want no other lease (:n in their ids), and the reply lists them.
--
-- Q5: an id that the reply grants to holds with its own lease, as if its own command had been
-- answered.
local granting = tonumber(string.match(word, '^%d+$') or '')

local function mayGrantInReply(head)
  return granting and mailbox(head) == mailbox(id) and string.match(head, ':n')
end

-- One run looks at so many waiters at most, so that it does not keep the server from others. If
-- there may be more, it has stopped early. Then the caller looks again at once: the reply to an
-- acquire says -1 ms, and that of any other script ends with the word 'more'.
local LOOKS = 1000
local stopped = false

-- Raises an expiry. It never lowers one: a late or repeated command must not cut a lease short.
--
-- A key that says which ids hold gets its expiry last, and the script does not read it again. If
-- the server's clock has stepped back since the script began, Redis may take such a key for expired
-- until the script ends. Then the lock would be given twice.
local function keep(key, ms)
  if redis.call('PTTL', key) < ms then
    redis.call('PEXPIRE', key, ms)
  end
end

-- The type of the first key that is not Mortise's, or nil.
local function stranger(fourth, first)
  local kinds = {first or 'hash', 'zset', 'zset', fourth}
  for i, key in ipairs(KEYS) do
    local kind = redis.call('TYPE', key).ok
    if kind ~= 'none' and kind ~= kinds[i] then
      return kind
    end
  end
end

-- The server's time at the last clock(), as TIME gives it: seconds and microseconds, as texts.
local time

local function clock()
  time = redis.call('TIME')
  local micros = time[1] * 1000000 + time[2]
  return math.floor(micros / 1000), micros
end

-- The id joins the queue or stays in it, and counts as alive for a while. Returns its ticket: the
-- ticket it had before, also if it fell out of the queue, or one behind all others.
local function join(now, micros, before)
  redis.call('ZADD', alive, now + patience, id)
  redis.call('ZREM', alive, '?' .. mailbox(id))
  redis.call('ZREMRANGEBYSCORE', alive, '-inf', now - 2 * patience)
  local ticket = tonumber(redis.call('ZSCORE', queue, id) or '')
  if not ticket then
    ticket = tonumber(before or '')
    if not ticket then
      local last = redis.call('ZRANGE', queue, -1, -1, 'WITHSCORES')[2]
      ticket = math.max(micros, (tonumber(last or '') or 0) + 1)
    end
    redis.call('ZADD', queue, ticket, id)
  end
  keep(queue, 2 * patience)
  keep(alive, 2 * patience)
  return ticket
end

-- Writes a tombstone of the id that lasts so long (ms).
local function bury(now, tombstone)
  redis.call('ZADD', alive, now + tombstone, '!' .. id)
  redis.call('ZREMRANGEBYSCORE', alive, '-inf', now - tombstone)
  keep(alive, tombstone)
end

-- These ids held until a forced unlock revoked their holds. Each is notified, and gets a tombstone
-- (ms).
--
-- Q6: an id that was revoked never holds again. So the message is true however late it comes.
local function revoke(holders, now, tombstone)
  for _, holder in ipairs(holders) do
    redis.call('ZADD', alive, now + tombstone, '!' .. holder)
    redis.pcall('PUBLISH', mail .. mailbox(holder), 'lost|' .. holder .. '|' .. lock)
  end
  keep(alive, tombstone)
end

-- The reply of a forced unlock.
local function forced(holders)
  local reply = {holders[1] and 'FORCED' or 'FREE'}
  for _, holder in ipairs(holders) do
    reply[#reply + 1] = holder
  end
  reply[#reply + 1] = stopped and 'more' or nil
  return reply
end

-- The id leaves the queue. With a tombstone (ms, 0 for none) it must not acquire any more.
local function withdraw(now, tombstone)
  if tombstone > 0 then
    bury(now, tombstone)
  end
  redis.call('ZREM', queue, id)
  redis.call('ZREM', alive, id, '?' .. mailbox(id))
end

-- Whether a waiter counts as alive: it has asked lately, and its service has answered its last
-- grant.
local function lives(head, now)
  local ends = redis.call('ZSCORE', alive, head)
  local unanswered = redis.call('ZSCORE', alive, '?' .. mailbox(head))
  return ends and tonumber(ends) > now and not (unanswered and tonumber(unanswered) <= now)
end

-- Sends a waiter the message that the lock is granted to it, with the server's time. Returns false
-- if no service listens there. Otherwise returns true, and the server's complaint if it refused the
-- message.
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
  keep(alive, 2 * window)
  return true, type(heard) == 'table' and heard.err or nil
end
