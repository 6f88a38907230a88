-- Decides on groups of demands, each all or nothing, by the clock of the server.
--
-- KEYS     first the keys of buckets and windows (strings), then those of slots (sorted sets)
-- ARGV[1]  the groups: deadline, operation, number of demands, and the demands (see Wire.java)
-- ARGV[2]  how many of the keys are strings
-- ARGV[3]  the name of the asking instance, for its leases of slots
-- ARGV[4]  the channel on which others are told of keys that hold more than they can know
--
-- Answers the time in microseconds since 2020, then for each group its fate, then for each of its demands what the
-- caller needs to describe it. Writes nothing for a refusal, unless the clock has jumped back.
--
-- A value is a decimal number below 2^63, which Redis keeps in the 16 bytes of an object. A bucket's says when it will
-- be whole, in units of its own rate; a window's how much was drawn and when it began. All numbers here are whole and
-- below 2^53 where they are compared.

local call, floor, ceil, min, max = redis.call, math.floor, math.ceil, math.min, math.max
local read, write, byte, sub, format = struct.unpack, struct.pack, string.byte, string.sub, string.format

local ACQUIRE, PEEK, CHARGE, REFUND, RENEW = 0, 1, 2, 3, 4 -- 5 forgets
local BUCKET, SLIDING = 0, 2 -- 1 is a fixed window, 3 counts slots
local ENFORCED = 128
local RECORD = 51
local LEASE_MILLIS = 30000

local time = call('TIME')
local now = (time[1] - 1577836800) * 1000000 + time[2]
local groups, strings = ARGV[1], tonumber(ARGV[2])
local values = {}
if strings > 0 then
  values = call('MGET', unpack(KEYS, 1, strings))
end

-- Time of a bucket runs in units of 2^(e-11) microseconds and around a circle of 10^14 units; the half of it that lies
-- behind is the past. A permit takes 2048 to 4095 units; a value is e and that number, then the unit in which the bucket
-- is whole, in 14 digits. A key in debt has a minus.
local CIRCLE, HALF = 1e14, 5e13
local MINUS = 45

-- The time now in the units of each e that occurs, and what of a millisecond such a unit is.
local ticks, millis = {}, {}

local function tick(e)
  local known = ticks[e]
  if not known then
    known = floor(now % (6103515625 * 2 ^ (3 + e)) * 2 ^ (11 - e))
    ticks[e], millis[e] = known, 2 ^ (e - 11) / 1000
  end
  return known
end

local function bucket(operation, key, cost, most, burst, permit, e)
  local code = e * 2048 + permit - 2047
  local level, debt, scale, unit, stored = 0, false, e, permit, code
  local value = values[key]
  if value then
    local digits = value
    if byte(value) == MINUS then
      debt, digits = true, sub(value, 2)
    end
    local whole, found = tonumber(sub(digits, -14)), tonumber(sub(digits, 1, -15))
    if whole and found and found >= 1 and found <= 92160 then
      if found ~= code then
        stored, scale, unit = found, floor((found - 1) / 2048), (found - 1) % 2048 + 2048
      end
      level = (whole - tick(scale)) % CIRCLE
      if level > HALF then
        level, debt = 0, false
      end
    end
  end
  local reply, admitted, moved
  if operation <= PEEK then
    local full, own, drawn = burst * permit, level, cost
    if stored ~= code then
      -- the same consumption in permits, rounded against the client
      own = ceil(level * permit / unit)
    elseif level > 8 * full and not debt then
      -- no draw can have led here: the clock has jumped back
      level, own, moved = full, full, true
    end
    local after = own + cost * permit
    if after <= full then
      if most > cost then
        drawn = max(cost, min(most, floor((full - own) / permit)))
        after = own + drawn * permit
      end
      level, debt, scale, stored, admitted, moved = after, false, e, code, true, true
      reply = write('>Bdd', 1, after, drawn)
    elseif cost == 0 then
      admitted = true
      reply = write('>Bdd', 1, own, 0)
    else
      -- what was drawn under another rate comes back at that rate until it is written under this one
      reply = write('>Bdd', 0, own, ceil((after - full) * unit / permit * 2 ^ (scale - 11)))
    end
  else
    -- settled under the rate under which it is written
    if operation == CHARGE then
      level = min(level + cost * unit, HALF - 1)
      debt = debt or level > burst * unit
    else
      level = max(0, level - cost * unit)
      debt = debt and level > burst * unit
    end
    admitted, moved = true, true
  end
  if not moved then
    return admitted, reply
  end
  if level == 0 then
    return admitted, reply, false
  end
  local whole = (tick(scale) + level) % CIRCLE
  return admitted,
    reply,
    format(debt and '-%.0f%014.0f' or '%.0f%014.0f', stored, whole),
    ceil(level * millis[scale])
end

-- Time of a window runs in units of 2^e microseconds, 8192 or more to a window, and around a circle of 10^digits units.
-- A value is what was drawn (what is owed included) and in the window before, and e, then the unit in which the window
-- began. What does not fit is written out: begin, drawn, before.
local function window(operation, key, cost, most, limit, period, e, sliding)
  local digits, places = 8, 1
  if sliding then
    digits, places = 7, 131072
  end
  local elapsed, drawn, before, back = 0, 0, 0, false
  local value = values[key]
  if value then
    local began, count = tonumber(sub(value, -digits)), tonumber(sub(value, 1, -digits - 1))
    if began and count then
      local unit = 2 ^ (count % 32)
      local circle = 10 ^ digits * unit
      drawn = floor(count / 32)
      before = drawn % places
      drawn = (drawn - before) / places
      elapsed = (now - began * unit) % circle
      back = elapsed > circle * 0.9375
    else
      local a, b, c = string.match(value, '^(%d+) (%d+) (%d+)$')
      if a then
        elapsed, drawn, before = now - a, tonumber(b), tonumber(c)
        back = elapsed < 0
      end
    end
  end
  if back then
    -- begins anew with what was drawn
    elapsed = 0
  elseif elapsed >= period then
    local windows, debt = floor(elapsed / period), max(0, drawn - limit)
    if not sliding then
      before = 0
    elseif windows == 1 then
      before = min(drawn, limit)
    else
      before = min(max(0, debt - (windows - 2) * limit), limit)
    end
    drawn = max(0, debt - (windows - 1) * limit)
    elapsed = elapsed - windows * period
  end
  if drawn == 0 and before == 0 then
    elapsed = 0
  end
  local rest = period - elapsed
  local reply, admitted, moved
  if operation <= PEEK then
    local left = max(0, limit - drawn - (sliding and ceil(before * rest / period) or 0))
    admitted = cost <= left
    local take = cost
    if admitted and most > cost then
      take = max(cost, min(most, left))
    end
    reply = write('>Bdddd', admitted and 1 or 0, elapsed, before, drawn, take)
    if admitted then
      drawn = drawn + take
    end
    moved = back or (admitted and take > 0)
  else
    if operation == CHARGE then
      drawn = min(drawn + cost, 4503599627370496)
    else
      local taken = min(drawn, cost)
      drawn, before = drawn - taken, max(0, before - (cost - taken))
    end
    admitted, moved = true, true
  end
  if not moved then
    return admitted, reply
  end
  if drawn == 0 and before == 0 then
    return admitted, reply, false
  end
  local owed, text = ceil(max(0, drawn - limit) / limit), nil
  local life = rest
  if drawn > 0 then
    life = rest + (sliding and owed + 1 or owed) * period
  end
  local fits = owed < 100 and (sliding and drawn < places and before < places or not sliding and drawn < 2.8e9)
  if fits then
    local began = floor((now - elapsed) / 2 ^ e) % 10 ^ digits
    text = format(
      sliding and '%.0f%07.0f' or '%.0f%08.0f',
      (sliding and drawn * places + before or drawn) * 32 + e,
      began
    )
  else
    text = format('%.0f %.0f %.0f', now - elapsed, drawn, before)
  end
  return admitted, reply, text, min(ceil(life / 1000), 1e14)
end

-- Each request in flight holds a member for each of its permits; its score is when it lapses, in milliseconds.
local function members(number, cost)
  local names = {}
  for i = 1, cost do
    names[i] = ARGV[3] .. format('%x', number) .. (i > 1 and '.' .. i or '')
  end
  return names
end

local function occupy(key, number, cost)
  local lapse = floor(now / 1000) + LEASE_MILLIS
  for _, member in ipairs(members(number, cost)) do
    call('ZADD', KEYS[key], lapse, member)
  end
  call('PEXPIRE', KEYS[key], LEASE_MILLIS)
end

local function slots(operation, key, cost, limit, number)
  local millis = floor(now / 1000)
  if operation <= PEEK then
    local used
    if operation == ACQUIRE then
      call('ZREMRANGEBYSCORE', KEYS[key], '-inf', millis)
      used = call('ZCARD', KEYS[key])
    else
      used = call('ZCOUNT', KEYS[key], '(' .. format('%.0f', millis), '+inf')
    end
    local admitted = used + cost <= limit
    return admitted, write('>Bd', admitted and 1 or 0, used)
  end
  if operation == RENEW then
    occupy(key, number, cost)
  elseif operation == REFUND then
    for _, member in ipairs(members(number, cost)) do
      call('ZREM', KEYS[key], member)
    end
  end
  return true
end

local dirty, lives = {}, {}

local function commit(operation, key, text, life)
  if operation >= REFUND and values[key] then
    redis.pcall('PUBLISH', ARGV[4], KEYS[key])
  end
  values[key], dirty[key], lives[key] = text, true, life
end

local out, length = { write('>d', now) }, 1
local at, size = 1, #groups
while at <= size do
  local deadline, operation, count
  deadline, operation, count, at = read('>dBB', groups, at)
  if now > deadline then
    at = at + count * RECORD
    length = length + 1
    out[length] = '\255'
  else
    local drawn, fate = true, length + 1
    local keys, texts, lifes, taken, pending
    if count > 1 then
      keys, texts, lifes, pending = {}, {}, {}, 0
    end
    length = fate
    local key, kind, cost, most, a, b, c, d, admitted, reply, text, life
    for _ = 1, count do
      key, kind, cost, most, a, b, c, d, at = read('>HBdddddd', groups, at)
      local enforced = kind >= ENFORCED
      kind = kind % ENFORCED
      text, life = nil, nil
      if operation > RENEW then
        admitted, text = true, false
      elseif kind == BUCKET then
        admitted, reply, text, life = bucket(operation, key, cost, most, a, b, c)
      elseif kind <= SLIDING then
        admitted, reply, text, life = window(operation, key, cost, most, a, b, c, kind == SLIDING)
      else
        admitted, reply = slots(operation, key, cost, a, d)
        if admitted and operation == ACQUIRE then
          taken = taken or {}
          taken[#taken + 1] = { key, d, cost }
        end
      end
      if reply then
        length = length + 1
        out[length] = reply
      end
      if text ~= nil and not admitted then
        -- a refusal writes only to follow the clock
        values[key], dirty[key], lives[key] = text, true, life
      elseif text ~= nil and pending then
        pending = pending + 1
        keys[pending], texts[pending], lifes[pending] = key, text, life
      end
      drawn = drawn and (admitted or not enforced)
    end
    out[fate] = drawn and '\1' or '\0'
    if drawn and operation ~= PEEK then
      if not pending then
        if admitted and text ~= nil then
          commit(operation, key, text, life)
        end
      else
        for i = 1, pending do
          commit(operation, keys[i], texts[i], lifes[i])
        end
      end
      if taken then
        for _, slot in ipairs(taken) do
          occupy(slot[1], slot[2], slot[3])
        end
      end
    end
  end
end

for key in pairs(dirty) do
  if values[key] then
    call('SET', KEYS[key], values[key], 'PX', lives[key])
  else
    call('DEL', KEYS[key])
  end
end
return table.concat(out)
