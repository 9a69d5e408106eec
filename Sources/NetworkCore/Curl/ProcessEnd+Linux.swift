#if os(Linux)
    import Glibc

    /// The engines at work, which have to stand still before the process takes down what they stand on.
    ///
    /// `exit()` has OpenSSL free its tables while other threads go on, and one in the middle of a handshake would crash. So the engines'
    /// turns are taken first, and not given back.
    enum ProcessEnd {
        private struct State {
            var turns: [ObjectIdentifier: Turn] = [:]
            var hasCome = false
        }

        private static let state = Locked(State())

        /// Registered handlers run in reverse order: call this once OpenSSL has registered its own.
        static func prepare() {
            atexit { ProcessEnd.come() }
        }

        /// - Returns: `false` when the process is ending.
        static func watch(_ turn: Turn) -> Bool {
            state.withLock { state in
                if !state.hasCome { state.turns[ObjectIdentifier(turn)] = turn }
                return !state.hasCome
            }
        }

        static func forget(_ turn: Turn) {
            state.withLock { $0.turns[ObjectIdentifier(turn)] = nil }
        }

        private static func come() {
            let turns = state.withLock { state in
                state.hasCome = true
                return Array(state.turns.values)
            }
            // Whoever has one works for a moment. Should that not end, the process ends nevertheless.
            for turn in turns { turn.take(within: 2) }
        }
    }
#endif
