-- Acquires the read/write lock for the side of the id, or joins its queue. A repetition with the
-- same id does no harm: it confirms what the id already holds, and raises the expiry to the lease.
-- It is also the answer to a grant, and the first one sets the expiry of a writer.
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
local reader = string.match(id, ':r$')

-- present: how many of lock, queue and alive exist, and of a writer also of the readers
local present
if reader then
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
else
  present = redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
  if present == 0 and beside == '' then
    redis.call('HSET', KEYS[1], id, '1')
    redis.call('PEXPIRE', KEYS[1], lease)
    return 1
  end
end
local writers = present > 0 and redis.pcall('HKEYS', KEYS[1]) or {}
local others = present - (writers[1] and 1 or 0)
if writers[1] == id and others == 1 and redis.pcall('ZREM', KEYS[2], id) == 1 then
  redis.call('PEXPIRE', KEYS[1], lease) -- see confirming.lua; and no other key is there
  return 1
end
--#queue
--#look
--#rw

local found = foreign(look, writers, others, not reader)
if found then
  return found
end
local now, micros = clock()
local room = forget(now)

-- Whether the same thread's hold of the other side lets this id hold too.
local function mayJoinItself()
  if reader then
    return writer == beside
  end
  local inside = redis.call('ZRANGE', readers, 0, 1)
  return writing == -2 and inside[1] == beside and not inside[2]
end

-- The ms until the last of the holders must have gone.
local function left()
  return writing == -2 and ends and ends - now or writing
end

if holds(id) then
  confirm()
  take(id, now, lease)
  settle()
  return 1
end
if buried and not (room and last[1]) then
  return {'TOO_LATE'}
end
if not buried and beside ~= '' and mayJoinItself() then
  confirm()
  take(id, now, lease)
  settle()
  return 1
end

--#join
if not buried and word ~= 'try' and not last[1] and not admits(id) then -- it is the first that waits
  return {'WAIT', left(), join(now, micros, ARGV[4]), micros}
end
--#granting
--#grants
--#enter
local reply
if buried then -- the last readers, whose leases were over, have made room for others
  grant(now)
  reply = {'TOO_LATE'}
else
  local upgrade = beside ~= '' and not reader
  reply = enter(now, micros, lease, not upgrade, left)
end
settle()
return reply
