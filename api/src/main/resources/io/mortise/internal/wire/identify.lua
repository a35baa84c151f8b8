-- Says which server this is, for a lock of several that must not share one.
--
-- Reply  its run id; empty if the server does not tell
local info = redis.pcall('INFO', 'server')
return {type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''}
