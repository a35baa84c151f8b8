-- Sends a probe that looks for a deadlock to the mailbox of each id that holds a lock. It changes
-- nothing. An id of another library has no mailbox, so nobody hears that one.
--
-- KEYS   1 lock, and of a read/write lock 2 readers  as in exclusive.lua and rw.lua
-- ARGV   1 the prefix of mailboxes
--        2 the kind of the message and its words
-- Reply  to how many ids it was sent, 16 of each key at most
local sent = 0

local function send(ids)
  for i = 1, math.min(#ids, 16) do -- an error has no length
    local mailbox = ARGV[1] .. string.match(ids[i], '^[^:]*')
    redis.pcall('PUBLISH', mailbox, ARGV[2] .. '|' .. ids[i] .. '|' .. KEYS[1])
    sent = sent + 1
  end
end

send(redis.pcall('HKEYS', KEYS[1]))
if KEYS[2] then
  send(redis.pcall('ZRANGE', KEYS[2], -16, -1))
end
return sent
