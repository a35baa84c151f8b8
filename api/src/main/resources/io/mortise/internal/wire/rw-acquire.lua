-- Acquires the read/write lock for the side of the id, or joins its queue. A repetition with the
-- same id does no harm: it confirms what the id already holds, and raises the expiry to the lease.
-- It is also the answer to a grant.
--
-- KEYS   as in rw.lua
-- ARGV   1 id
--        2 terms; the word is 'join', or 'try' (which overtakes no waiter)
--        3 lease (ms)
--        4 ticket of an earlier check, '' or left out
--        5 id of the same thread's hold of the other side, '' or left out. A writer may then read,
--          at once. A reader may then write (only 'try') if no other id holds, whatever the queue
-- Reply  1: it holds its side
--        WAIT, ms until no id may hold (-2 now), ticket, server time (us)
--          [, complaint about PUBLISH]
--        BUSY, ms until no id may hold       (only 'try')
--        TOO_LATE                            (this id was withdrawn or revoked)
--        FOREIGN, what was found
-- Rules  L1 L10 L11 L14 Q1 Q2 Q4. Uncontended: a writer three commands, no TIME; a reader five.
local id, lease, beside = ARGV[1], tonumber(ARGV[3]), ARGV[5] or ''

local present
if string.match(id, ':r$') then
  present = redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3])
  if present == 0 then
    local readers = KEYS[4]
    local left = redis.call('PTTL', readers)
    local time = redis.call('TIME')
    local ends = math.floor(time[1] * 1000 + time[2] / 1000) + lease
    if left ~= -1 and type(redis.pcall('ZADD', readers, 'GT', ends, id)) == 'number' then
      if left < lease then
        redis.call('PEXPIRE', readers, lease)
      end
      return 1
    end
  end
elseif beside == '' then
  present = redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
  if present == 0 then
    redis.call('HSET', KEYS[1], id, '1')
    redis.call('PEXPIRE', KEYS[1], lease)
    return 1
  end
end
--#queue
--#look
--#rw

local found, fresh = foreign(present, not reads(id))
if found then
  return found
end
local now, micros = clock()
local room = forget(now)

local function holds()
  if reads(id) then
    return ends and redis.call('ZSCORE', readers, id)
  end
  return writer == id
end

-- Whether the same thread's hold of the other side lets this id hold too.
local function mayJoinItself()
  if reads(id) then
    return writer == beside
  end
  local inside = redis.call('ZRANGE', readers, 0, 1)
  return writing == -2 and inside[1] == beside and not inside[2]
end

-- The ms until the last of the holders must have gone.
local function left()
  return writing == -2 and ends and ends - now or writing
end

if holds() then
  if marked then
    redis.call('ZREM', alive, '?' .. home)
  end
  take(id, now, lease)
  settle()
  return 1
end
if buried and not (room and last[1]) then
  return {'TOO_LATE'}
end
if not buried and beside ~= '' and mayJoinItself() then
  take(id, now, lease)
  settle()
  return 1
end

--#join
if not buried and word ~= 'try' and not last[1] and not admits(id) then -- it is the first that waits
  return {'WAIT', left(), join(now, micros, ARGV[4], fresh), micros}
end
--#granting
--#grants
--#enter
local reply
if buried then -- the last readers, whose leases were over, have made room for others
  grant(now)
  reply = {'TOO_LATE'}
else
  local upgrade = beside ~= '' and not reads(id)
  reply = enter(now, micros, lease, not upgrade, left)
end
settle()
return reply
