-- How an acquire of a kind that several ids may hold ends. This part goes behind grants.lua.

-- The end of an acquire (ARGV as in acquire.lua). A 'try' overtakes no waiter. Any other id joins
-- the queue. Both grant to the waiters for which they find room. Returns the reply.
-- tries: may a 'try' succeed at all? left: a function, ms until there may be room.
local function enter(now, micros, lease, tries, left)
  if word == 'try' then
    local inside = queued and grant(now, id, lease) -- a late try may be of an id that waits
    if inside then
      return 1
    end
    if tries and not (queued and first(now, holds)) and admits(id) then
      take(id, now, lease)
      return 1
    end
    return {'BUSY', left()}
  end

  local ticket = join(now, micros, ARGV[4])
  local inside, complaint = grant(now, id, lease)
  if inside then
    return 1
  end
  return {'WAIT', stopped and -1 or left(), ticket, micros, complaint}
end
