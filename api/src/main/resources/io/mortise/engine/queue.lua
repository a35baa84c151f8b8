-- The queue of one lock, as its scripts share it. Put in front of acquire, leave and force.
--
-- KEYS  1 lock   hash  acquisition id -> 1; exists while the lock is held or granted, always with an expiry
--       2 queue  zset  waiting id -> ticket (server time in us when it joined)
--       3 alive  zset  waiting id -> time (ms) after which it counts as gone
--                      !id        -> end (ms) of a tombstone: this id must not acquire any more
--                      ?mailbox   -> end (ms) of a grant that this mailbox has not answered yet
--       4 fence  string  the last fencing token in use; only of a fenced lock, whose hash holds the
--                        first token of a hold in place of the 1
--
-- Q2: no script ends with the lock free and somebody waiting.
-- Numbers go to redis.call and into replies as numbers, never through text.
local lock, queue, alive, fence = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local id = ARGV[1]

local function mailbox(of)
  return string.match(of, '^[^:]*')
end

-- An expiry is only ever raised: a late or repeated command must not cut a lease short.
local function keep(key, ms)
  if redis.call('PTTL', key) < ms then
    redis.call('PEXPIRE', key, ms)
  end
end

-- The type of the first key that is not of ours, or nil.
local function stranger()
  local kinds = {'hash', 'zset', 'zset', 'string'}
  for i, key in ipairs(KEYS) do
    local kind = redis.call('TYPE', key).ok
    if kind ~= 'none' and kind ~= kinds[i] then
      return kind
    end
  end
end

local function clock()
  local time = redis.call('TIME')
  local micros = time[1] * 1000000 + time[2]
  return math.floor(micros / 1000), micros
end

-- The lock is free: gives it to the first waiter that lives, and tells its mailbox. A waiter that is
-- the caller itself takes it at once, with its lease. Others get it for the grant window, in which
-- they confirm. Returns who has it now, and the server's complaint if it refused the message.
-- terms: window (ms), mail (prefix of mailboxes), counts ('1' if PUBLISH counts every subscriber).
-- own: id and lease (ms) of a caller that waits itself, or nil.
local function grant(now, terms, own, lease)
  local deaf = {}
  for _ = 1, 1000 do
    local head = redis.call('ZPOPMIN', queue)[1]
    if not head then
      return nil
    end
    local gone = redis.call('ZSCORE', alive, head)
    redis.call('ZREM', alive, head)
    if gone and tonumber(gone) > now then
      if head == own then
        redis.call('HSET', lock, head, 1)
        redis.call('PEXPIRE', lock, lease)
        return head
      end
      local box = mailbox(head)
      local unanswered = redis.call('ZSCORE', alive, '?' .. box)
      if not deaf[box] and not (unanswered and tonumber(unanswered) <= now) then
        local heard = redis.pcall('PUBLISH', terms.mail .. box, 'grant|' .. head .. '|' .. lock)
        if heard == 0 and terms.counts == '1' then
          deaf[box] = true
        else
          redis.call('HSET', lock, head, 1)
          redis.call('PEXPIRE', lock, terms.window)
          redis.call('ZADD', alive, 'NX', now + terms.window, '?' .. box)
          keep(alive, 2 * terms.window)
          return head, type(heard) == 'table' and heard.err or nil
        end
      end
    end
  end
end
