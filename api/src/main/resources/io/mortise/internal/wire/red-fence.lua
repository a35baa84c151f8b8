-- Reads the counter of the fencing tokens of a Redlock, or raises it to a token. It goes behind
-- process.lua and vote.lua, so a server in quarantine does neither.
--
-- KEYS   1 counter  string  the largest token that this server has accepted
-- ARGV   1 token to accept; 0 to read
-- Reply  ACCEPTED       (the token was larger than every one before)
--        LAST, a number: a new token must be larger
--        or no vote, see vote.lua
-- Rules  R11. The last number is never below the server's time (us), so tokens rise although the
-- counter was lost.
local token = tonumber(ARGV[1])
local last = tonumber(redis.call('GET', KEYS[1]) or '') or 0
if token > last then
  redis.call('SET', KEYS[1], token, 'PX', 604800000)
  return {'ACCEPTED'}
end
local clock = redis.call('TIME')
return {'LAST', math.max(last, clock[1] * 1000000 + clock[2])}
