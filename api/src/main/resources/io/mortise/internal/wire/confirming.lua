-- The id already holds, so its mailbox is not silent. This part goes into an acquire, behind its
-- first reads. It removes what the queue and alive say of the id.
--
-- others: how many of these two keys exist. If both do, alive is read before the queue changes.
-- Nothing changes if one is not Mortise's.
-- confirmed: this is the first confirmation of a grant. So no command since the grant has made the
-- lease longer.
-- failed: the server's error
local box = string.match(ARGV[1], '^[^:]*')
local known = others == 2 and redis.pcall('ZMSCORE', KEYS[3], ARGV[1], '?' .. box) or {}
local left = known.err and known or others > 0 and redis.pcall('ZREM', KEYS[2], ARGV[1])
confirmed = left == 1
if type(left) == 'number' and (known[1] or known[2]) or left == 0 and others == 1 then
  known = redis.pcall('ZREM', KEYS[3], ARGV[1], '?' .. box)
end
failed = type(left) == 'table' and left or type(known) == 'table' and known.err and known
