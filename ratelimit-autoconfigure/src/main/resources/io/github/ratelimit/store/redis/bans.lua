-- Keeps how one key has behaved in one zone, by the clock of the server.
--
-- KEYS[1]  where it is kept
-- ARGV[1]  'strike' notes a refusal, 'look' changes nothing, 'lift' forgets everything
-- ARGV[2]  the channel on which others are told of bans that begin and that are lifted
-- ARGV[3]  milliseconds within which refusals count
-- of a strike also, in milliseconds where it is time:
-- ARGV[4]  how many lead to a ban, [5] the first ban, [6] how many times longer each further one is, [7] the longest, and
-- ARGV[8]  which ban does not end by itself
--
-- Answers how many refusals count, the number of the ban in force (0 without one), the milliseconds until it ends (-1 for
-- never), and whether this call has imposed it.
--
-- The value is the number of bans, when the last ends (-1 for never), and when the refusals were that count. It lives as
-- long as it says something; one of a ban without an end for 400 days from when it was last met.

local call, max, min, format = redis.call, math.max, math.min, string.format
local NEVER, LONG = -1, 34560000000
local key, operation, channel = KEYS[1], ARGV[1], ARGV[2]

if operation == 'lift' then
  call('DEL', key)
  redis.pcall('PUBLISH', channel, key)
  return '0 0 0 0'
end

local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local within = tonumber(ARGV[3])
local number, ends, strikes = 0, 0, {}
local value = call('MGET', key)[1]
if value then
  local words = {}
  for word in string.gmatch(value, '%S+') do
    words[#words + 1] = tonumber(word) or 0
  end
  number, ends = words[1] or 0, words[2] or 0
  for i = 3, #words do
    if now - words[i] < within then
      strikes[#strikes + 1] = words[i]
    end
  end
end

local function answer(imposed)
  local rest = ends == NEVER and NEVER or max(0, ends - now)
  return format('%d %d %.0f %d', #strikes, rest == 0 and 0 or number, rest, imposed)
end

if ends == NEVER then
  redis.pcall('SET', key, value, 'PX', LONG)
  return answer(0)
end
if operation == 'look' or ends > now then
  return answer(0)
end

local after, length, multiplier = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local longest, permanent = tonumber(ARGV[7]), tonumber(ARGV[8])
if now - ends >= longest then
  number = 0
end
strikes[#strikes + 1] = now
local imposed, life = 0, within
if #strikes >= after then
  imposed, strikes, number = 1, {}, min(number + 1, 2147483647)
  if number >= permanent then
    ends, life = NEVER, LONG
  else
    local i = 1
    while i < number and multiplier > 1 and length < longest do
      length, i = min(longest, length * multiplier), i + 1
    end
    ends = now + length
    life = length + longest
  end
elseif number > 0 then
  life = max(within, ends + longest - now)
end
local words = { format('%d %.0f', number, ends) }
for i = 1, #strikes do
  words[i + 1] = format('%.0f', strikes[i])
end
call('SET', key, table.concat(words, ' '), 'PX', life)
if imposed == 1 then
  redis.pcall('PUBLISH', channel, key)
end
return answer(imposed)
