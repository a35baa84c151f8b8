-- Tells by which ids a lock is held and waited for, and changes nothing.
--
-- KEYS   1 the key that the holds are in: the lock, the readers of a read/write lock, or a semaphore
--        2 queue, 3 alive  as in queue.lua
-- ARGV   1 how many holders and how many waiters it lists at most
--        2 how long a waiter counts as alive (ms)
-- Reply  FREE: no id holds it, or the key is not Mortise's
--        HELD, server time (us), a list of holders: id, ms left; those that end last come first; a
--          list of waiters: id, ticket; those that came first come first
local most, patience = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)

local holders = {}
local left = redis.call('PTTL', KEYS[1])
local kind = redis.call('TYPE', KEYS[1]).ok
if left >= 0 and kind == 'hash' then
  for i, id in ipairs(redis.call('HKEYS', KEYS[1])) do
    if i <= most then
      holders[#holders + 1] = id
      holders[#holders + 1] = left
    end
  end
elseif left >= 0 and kind == 'zset' then
  local to = -1
  local page
  repeat
    page = redis.call('ZRANGE', KEYS[1], to - most + 1, to, 'WITHSCORES')
    for i = #page - 1, 1, -2 do
      local ends = tonumber(page[i + 1])
      -- behind the holders of permits is what they have given back: see sem.lua
      if ends > now and ends < 4000000000000000 and not holders[2 * most] then
        holders[#holders + 1] = page[i]
        holders[#holders + 1] = ends - now
      end
    end
    to = to - most
  until holders[2 * most] or not page[2 * most]
end
if not holders[1] then
  return {'FREE'}
end

local waiters = {}
local found =
  redis.pcall('ZRANGE', KEYS[2], 0, '+inf', 'BYSCORE', 'LIMIT', 0, most, 'WITHSCORES')
if not found.err then
  for i = 1, #found, 2 do
    local ticket = tonumber(found[i + 1])
    local again = redis.pcall('ZSCORE', KEYS[3], found[i])
    local asked = type(again) == 'string' and tonumber(again) or ticket / 1000 -- as in queue.lua
    if asked + patience > now then
      waiters[#waiters + 1] = found[i]
      waiters[#waiters + 1] = ticket
    end
  end
end
return {'HELD', micros, holders, waiters}
