-- Takes permits of a semaphore, or joins its queue. A repetition with the same id does no harm: it
-- confirms what the id already holds, and raises its lease. It is also the answer to a grant.
--
-- KEYS   as in sem.lua
-- ARGV   1 to 4 as in rw-acquire.lua
-- Reply  1: it holds its permits
--        WAIT, ms until the next lease ends (-2 none, -1 ask again at once), ticket, server time (us)
--          [, complaint about PUBLISH]
--        BUSY, ms until the next lease ends (-2 none)   (only 'try')
--        TOO_LATE                          (this id was withdrawn or revoked)
--        UNSET                             (there is no semaphore)
--        TOO_MANY, permits there are       (fewer than this id wants)
--        FOREIGN, what was found
-- Rules  L10 L11 L14 S1 S2 Q1 Q2 Q4. Uncontended: seven commands.
local id, lease = ARGV[1], tonumber(ARGV[3])

local others = redis.call('EXISTS', KEYS[2], KEYS[3])
if others == 0 then
  local permits, week = KEYS[1], 604800000
  local free = redis.pcall('ZSCORE', permits, '!free')
  free = type(free) == 'string' and tonumber(free) - tonumber(string.match(id, ':p(%d+)$')) or -1
  if free >= 0 and not redis.call('ZSCORE', permits, id) then
    local left = redis.call('PTTL', permits)
    if left ~= -1 then
      local time = redis.call('TIME')
      local ends = math.floor(time[1] * 1000 + time[2] / 1000) + lease
      redis.call('ZADD', permits, free, '!free', ends, id)
      if left < lease + week then
        redis.call('PEXPIRE', permits, lease + week)
      end
      return 1
    end
  end
end
--#queue
--#look
--#sem

local found = foreign(look, others)
if found then
  return found
end
if not total then
  return {'UNSET'}
end
local now, micros = clock()
local room = forget(now)
local reply
if holds(id) then
  confirm() -- first: a full server lets a script write on that has removed something
  redis.call('ZADD', permits, 'GT', now + lease, id)
  lasts(lease + week)
  reply = 1
elseif buried then
  reply = {'TOO_LATE'}
elseif weight(id) > total then
  reply = {'TOO_MANY', total}
end
if reply and not (room and last[1]) then
  settle()
  return reply
end

-- The ms until there may be room again.
local function left()
  return ends and ends - now or -2
end

--#join
if not reply and word ~= 'try' and not last[1] and not admits(id) then -- it is the first that waits
  settle()
  return {'WAIT', left(), join(now, micros, ARGV[4]), micros}
end
--#granting
--#grants
--#enter
if reply then -- leases that were over have made room for others
  grant(now)
else
  reply = enter(now, micros, lease, true, left)
end
settle()
return reply
