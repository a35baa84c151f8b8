-- The queue of one lock: the part that the scripts of all kinds of lock share. Behind it come other
-- parts, each where a script first needs it: join, leaving, granting and forcing.
--
-- KEYS  1 lock   hash  acquisition id -> 1; exists while the lock is held or granted, always with
--                      an expiry; of a semaphore or a latch a zset
--       2 queue  zset  waiting id -> ticket: the server's time (us) when it joined. Below zero: a
--                      message has granted it the lock, and it has not confirmed that
--       3 alive  zset  waiting id -> when (ms) it has asked last; only of an id that has asked
--                      again, or has a ticket that is ahead of the clock
--                      !id        -> end (ms) of a tombstone: this id must not acquire any more
--                      ?mailbox   -> since when (ms) this mailbox is silent: it has not confirmed a
--                      grant. Of its waiters, those are gone that have not asked later
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

local home = mailbox(id)

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

-- The reply after a command has failed, or nil if none has: FOREIGN and the type of the first key
-- that is not Mortise's. If there is none, it is the server's error. A key of another type fails the
-- first command that reads it, before anything is written. So scripts ask for types only then.
local function refused(failed, fourth, first)
  local kinds = {first or 'hash', 'zset', 'zset', fourth}
  for i, key in ipairs(KEYS) do
    local kind = failed and redis.call('TYPE', key).ok or 'none'
    if kind ~= 'none' and kind ~= kinds[i] then
      return {'FOREIGN', kind}
    end
  end
  return failed
end

-- The server's time at the last clock(), as TIME gives it: seconds and microseconds, as texts.
local time

local function clock()
  time = redis.call('TIME')
  local micros = time[1] * 1000000 + time[2]
  return math.floor(micros / 1000), micros
end

-- When (ms) a waiter has asked last.
-- ticket: its ticket. again: what alive says of it
local function asked(ticket, again)
  return again and tonumber(again) or ticket / 1000
end

-- What the store says of the id before the script writes anything.
-- buried: it has a tombstone. marked: its mailbox is silent. repeated: it is in alive, so it has
-- asked again. last: the last that waits, and its ticket. queued: the queue exists.
local buried, marked, repeated, queued
local last = {}

-- What is known of the first in the queue, or nil: the id, its ticket, what alive says of it and of
-- its mailbox.
local front
