/// The scripts of ``ValkeyRateLimiter``.
package enum LimitScripts {
    /// The clock of the server, in microseconds since 1970. Tests replace it.
    package static let clock = "local time = redis.call('TIME') local now = time[1] * 1000000 + time[2]"

    /// Takes a token. All times are in microseconds.
    ///
    /// The first key is the state of the bucket: its generation, which changes when the state is lost, and the time at which it would be full. The
    /// second one is the end of the pause.
    ///
    /// Arguments: 1 interval, 2 burst, 3 the longest wait, 4 the time until the bucket would be full as this client knows it, which counts if the state
    /// was lost since, 5 the generation that the client knows, 6 the generation of a new state, 7 the time for which a new server gives no tokens,
    /// 8 tokens that the client has given without the server.
    ///
    /// Returns the wait, the time until the bucket is full, the generation and the rest of the pause.
    package static func take(clock: String = LimitScripts.clock) -> ValkeyScript {
        ValkeyScript(
            clock + """

                local interval, burst, maximum = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
                local state = redis.call('GET', KEYS[1])
                local generation, due
                if state then
                    generation, due = string.match(state, '^(%S+) (%S+)$')
                    due = tonumber(due)
                end
                if not due then
                    generation = ARGV[6]
                    local info = redis.pcall('INFO', 'server')
                    local uptime = type(info) == 'string' and tonumber(string.match(info, 'uptime_in_seconds:(%d+)')) or 0
                    due = now - (uptime - 1) * 1000000 + tonumber(ARGV[7]) + interval * burst
                end
                local isOther = generation ~= ARGV[5]
                if isOther then
                    due = math.max(due, now + tonumber(ARGV[4]))
                else
                    due = due + tonumber(ARGV[8]) * interval
                end
                local pause = tonumber(redis.call('GET', KEYS[2]) or '0')
                local start = math.max(now, pause)
                local wait = math.max(start, due - interval * (burst - 1)) - now
                local isTaken = wait <= maximum
                if isTaken then due = math.max(due, start) + interval end
                if isTaken or isOther or ARGV[8] ~= '0' then
                    local lifetime = math.max(0, math.ceil((due - now) / 1000)) + 1000
                    redis.call('SET', KEYS[1], generation .. ' ' .. string.format('%.3f', due), 'PX', lifetime)
                end
                return {string.format('%.0f', wait), string.format('%.0f', due - now), generation, string.format('%.0f', math.max(0, pause - now))}
                """)
    }

    /// Extends the pause to at least a time from now: argument 1, in microseconds.
    static let pause = ValkeyScript(
        clock + """

            local ends = now + tonumber(ARGV[1])
            if ends > tonumber(redis.call('GET', KEYS[1]) or '0') then
                redis.call('SET', KEYS[1], string.format('%.0f', ends), 'PX', math.ceil(tonumber(ARGV[1]) / 1000) + 1)
            end
            return 1
            """)
}
