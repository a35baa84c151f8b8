-- What happens to a lock that is free, or was freed. This part goes behind exclusive.lua. A lock that
-- is shared with Redisson has redisson.lua in its place, with the same functions.

-- How long (ms) the lock must stay free, although it is free now; -2 if it need not.
local function reserved()
  return -2
end

-- The lock is free. news: this script ended a hold; otherwise it only found the lock free.
-- Returns as grant.
local function freed(now, news)
  return grant(now)
end

-- A hold was ended, and no id waits. Returns the server's complaint if it refused a message.
local unwanted
