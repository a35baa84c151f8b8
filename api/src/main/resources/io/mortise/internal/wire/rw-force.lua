-- Ends the writer's hold, those of all readers, or that of one id, notifies the holders, and grants
-- the lock to the first waiters if there is room.
--
-- KEYS   as in rw.lua
-- ARGV   1 ':r' for the readers, '' for the writer
--        2 terms
--        3, 4 as in force.lua
-- Reply  as force.lua
-- Rules  L9 L10 Q2 Q6.
--#queue
--#look
--#forcing
--#rw
--#granting
--#grants
local found = foreign(look, redis.pcall('HKEYS', lock))
if found then
  return found
end

local now = clock()
local room = forget(now)
local one = ARGV[4]

-- Ends the holds of readers. Returns their ids.
local function forceReaders()
  if one == '' then
    local all = redis.call('ZRANGE', readers, 0, -1)
    redis.call('DEL', readers)
    ends, lasting = nil, -2
    return all
  end
  if redis.call('ZREM', readers, one) == 0 then
    return {}
  end
  forget(now, true)
  return {one}
end

-- Ends the writer's hold. Returns its id.
local function forceWriter()
  if not writer or one ~= '' and one ~= writer then
    return {}
  end
  local all = {writer}
  redis.call('DEL', lock)
  writer, writing = nil, -2
  return all
end

local holders
if reads(id) then
  holders = forceReaders()
else
  holders = forceWriter()
end
if holders[1] then
  revoke(holders, now, tonumber(ARGV[3]))
elseif not room then
  return forced(holders)
end
grant(now)
settle()
return forced(holders)
