-- The queue of one lock, as the scripts of every kind of lock share it.
--
-- KEYS  1 lock   hash  acquisition id -> 1; exists while the lock is held or granted, always with an expiry;
--                       of a semaphore or latch a zset
--       2 queue  zset  waiting id -> ticket (server time in us when it joined)
--       3 alive  zset  waiting id -> time (ms) after which it counts as gone
--                      !id        -> end (ms) of a tombstone: this id must not acquire any more
--                      ?mailbox   -> end (ms) of a grant that this mailbox has not answered yet
--       4        of one kind of lock alone
--
-- ARGV  1 id of the acquisition, or ''
--       2 terms: a word that each script explains, how long a waiter counts as alive (ms), grant window (ms),
--         '1' if PUBLISH counts every subscriber, prefix of mailboxes
--
-- Numbers go to redis.call and into replies as numbers, never through text.
local lock, queue, alive = KEYS[1], KEYS[2], KEYS[3]
local id = ARGV[1]
local word, patience, window, counts, mail = string.match(ARGV[2], '^(%S+) (%d+) (%d+) (%d) (.*)$')
patience, window = tonumber(patience), tonumber(window)

local function mailbox(of)
  return string.match(of, '^[^:]*')
end

-- A release whose word is a lease (ms) names in its reply whom it lets in, with that lease, if they wait in its own
-- process and want no other lease (:n in their ids).
--
-- Q5: whoever is named in the reply is inside with its own lease, as if its own command had been answered.
local naming = tonumber(string.match(word, '^%d+$') or '')

local function isNamed(head)
  return naming and mailbox(head) == mailbox(id) and string.match(head, ':n')
end

-- An expiry is only ever raised: a late or repeated command must not cut a lease short. What says who is inside gets
-- its expiry last, and is not looked at again: if the server's clock has stepped back since the script began,
-- Redis may take such a key for over until the script ends, and the lock would be given twice.
local function keep(key, ms)
  if redis.call('PTTL', key) < ms then
    redis.call('PEXPIRE', key, ms)
  end
end

-- The type of the first key that is not of ours, or nil.
local function stranger(fourth, first)
  local kinds = {first or 'hash', 'zset', 'zset', fourth}
  for i, key in ipairs(KEYS) do
    local kind = redis.call('TYPE', key).ok
    if kind ~= 'none' and kind ~= kinds[i] then
      return kind
    end
  end
end

-- The server's time at this command, as it says it: in seconds and, as a text of its own, in us.
local time

local function clock()
  time = redis.call('TIME')
  local micros = time[1] * 1000000 + time[2]
  return math.floor(micros / 1000), micros
end

-- The id stands in the queue from now on, or still, and counts as alive for a while.
-- Returns its ticket: its own of before, also if it fell out, or one behind all others.
local function join(now, micros, before)
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
  redis.call('ZADD', alive, now + patience, id)
  keep(queue, 2 * patience)
  keep(alive, 2 * patience)
  return ticket
end

-- The id is over, and that is remembered for so long (ms).
local function bury(now, tombstone)
  redis.call('ZREMRANGEBYSCORE', alive, '-inf', now - tombstone)
  redis.call('ZADD', alive, now + tombstone, '!' .. id)
  keep(alive, tombstone)
end

-- These were inside until somebody forced the lock open: each is told, and must not acquire for so long (ms).
--
-- Q6: an id that was forced out never holds again, so the news of it is true however late it comes.
local function throwOut(holders, now, tombstone)
  for _, holder in ipairs(holders) do
    redis.call('ZADD', alive, now + tombstone, '!' .. holder)
    redis.pcall('PUBLISH', mail .. mailbox(holder), 'lost|' .. holder .. '|' .. lock)
  end
  keep(alive, tombstone)
end

-- What a forced unlock replies.
local function forced(holders)
  local reply = {holders[1] and 'FORCED' or 'FREE'}
  for _, holder in ipairs(holders) do
    reply[#reply + 1] = holder
  end
  return reply
end

-- The id waits no more, and must not acquire for so long (ms, 0 if it may).
local function withdraw(now, tombstone)
  redis.call('ZREM', queue, id)
  redis.call('ZREM', alive, id, '?' .. mailbox(id))
  if tombstone > 0 then
    bury(now, tombstone)
  end
end

-- Whether a waiter counts as alive: it has asked lately, and its process answered its last grant.
local function lives(head, now)
  local ends = redis.call('ZSCORE', alive, head)
  local unanswered = redis.call('ZSCORE', alive, '?' .. mailbox(head))
  return ends and tonumber(ends) > now and not (unanswered and tonumber(unanswered) <= now)
end

-- Tells a waiter that the lock is granted to it, and when. Returns false if nobody listens there, else true
-- and the server's complaint if it refused the message.
-- deaf: the mailboxes of this run that nobody listens to.
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
