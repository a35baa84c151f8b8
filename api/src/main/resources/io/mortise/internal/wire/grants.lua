-- The grants of a kind that several ids may hold at a time. It goes behind the file of a kind (rw,
-- sem or latch). That file has these functions:
-- - admits(id): is there room for the id?
-- - take(id, now, ms): the id holds from now on. Returns whether it does: a semaphore may refuse
--   that, and of a latch no id holds anything.
-- - holds(id): does the id hold?
-- - full(): is there no room for any id? nil if the kind cannot say so
--
-- Q2: no script ends with a first waiter that could hold.

-- The ids that the reply grants to.
local granted = {}

-- Grants to the first waiters, as many as there is room for. There are three cases:
-- - A waiter is the caller itself (own). It holds at once, with its lease.
-- - The reply may grant to it (mayGrantInReply). It holds at once, with its lease.
-- - Any other waiter gets a message. It holds for the grant window, and confirms in it.
-- Waiters that are gone are removed, also where there is no room, so that they keep no other out.
-- Returns whether the caller holds, and the server's complaint if it refused a message.
-- own, lease: id and lease (ms) of a caller that waits itself, or nil.
local function grant(now, own, lease)
  local deaf = {}
  local inside, complaint
  stopped = false
  for i = 1, LOOKS do
    if i > 1 and full and full() then
      return inside, complaint
    end
    local head, live = first(now, holds)
    if not head or live and not admits(head) then
      return inside, complaint
    end
    local waiting = live and head ~= own
    local inReply = waiting and mayGrantInReply(head) and take(head, now, granting)
    local told, refusal, confirms
    if waiting and not inReply then
      told, refusal = tell(head, deaf)
    end
    if live and head == own then
      take(head, now, lease)
      inside = true
    elseif inReply then
      granted[#granted + 1] = head
    elseif told then
      confirms = take(head, now, window)
      complaint = refusal or complaint
    end
    dequeue(head, confirms)
  end
  stopped = first(now, holds) ~= nil
  return inside, complaint
end

-- The reply of a leave.
local function withGranted(reply, complaint)
  granted[#granted + 1] = stopped and 'more' or nil
  if granted[1] then
    return {reply, complaint or '', unpack(granted)}
  end
  return {reply, complaint}
end
