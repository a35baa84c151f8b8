-- Ends whoever's hold, tells the holder, and grants the lock to the next.
--
-- KEYS   as in exclusive.lua
-- ARGV   1 '' , 2 grant window (ms), 3 mailbox prefix, 4 '1' if PUBLISH counts every subscriber
-- Reply  FORCED, FREE (nobody held it), or FOREIGN and what was found
-- Rules  L9 L10 Q2.
local kind = stranger('string')
if kind then
  return {'FOREIGN', kind}
end
if redis.call('PTTL', lock) == -1 then
  return {'FOREIGN', 'hash without expiry'}
end

local terms = {window = tonumber(ARGV[2]), mail = ARGV[3], counts = ARGV[4]}
local holders = redis.call('HKEYS', lock)
redis.call('DEL', lock)
for _, holder in ipairs(holders) do
  redis.pcall('PUBLISH', terms.mail .. mailbox(holder), 'lost|' .. holder .. '|' .. lock)
end
local now = clock()
freed(now, terms, #holders > 0)
return {#holders > 0 and 'FORCED' or 'FREE'}
