/// The circuit breaker of one host: a pure state machine that gets the current time as a parameter.
struct CircuitState: Sendable {
    enum Decision: Equatable {
        case pass(epoch: Int)
        /// The request is rejected, and so are others until this duration has passed.
        case refuse(Duration)
    }

    private enum Phase: Equatable {
        case closed
        case open(until: Duration)
        /// `free` more probes may be sent, and `missing` more have to succeed to close the circuit.
        ///
        /// The first failure opens it again.
        case halfOpen(free: Int, missing: Int)
    }

    let rule: CircuitRule
    private var phase = Phase.closed
    /// The latest outcomes, `true` for a failure. Once the window is full, the oldest is at `next`.
    private var outcomes: [Bool] = []
    private var next = 0
    private(set) var failures = 0
    /// Counts the openings and closings. Outcomes of requests that were admitted in an earlier epoch are ignored.
    private var epoch = 0

    init(_ rule: CircuitRule) {
        self.rule = rule
    }

    var isOpen: Bool { if case .open = phase { true } else { false } }
    /// Whether the state can be removed from memory without losing information.
    var isClear: Bool { phase == .closed && failures == 0 }

    mutating func admit(now: Duration) -> Decision {
        if case .open(let until) = phase {
            if now < until {
                // If the clock was set back, the circuit must not stay open for longer than the configured duration.
                let rest = min(until - now, rule.openDuration)
                phase = .open(until: now + rest)
                return .refuse(rest)
            }
            epoch += 1
            phase = .halfOpen(free: rule.probes, missing: rule.probes)
        }
        if case .halfOpen(let free, let missing) = phase {
            guard free > 0 else { return .refuse(.zero) }
            phase = .halfOpen(free: free - 1, missing: missing)
        }
        return .pass(epoch: epoch)
    }

    /// Records the outcome of an exchange.
    ///
    /// - Parameter failed: `nil` if the outcome does not count, such as that of a cancelled request.
    mutating func record(failed: Bool?, epoch: Int, now: Duration) {
        guard epoch == self.epoch else { return }
        switch phase {
        case .open: break
        case .halfOpen(let free, let missing):
            switch failed {
            case nil: phase = .halfOpen(free: free + 1, missing: missing)
            case true?: open(now: now)
            case false? where missing > 1: phase = .halfOpen(free: free, missing: missing - 1)
            case false?: close()
            }
        case .closed:
            guard let failed else { return }
            remember(failed)
            if outcomes.count >= rule.minimumOutcomes, Double(failures) >= rule.failureRatio * Double(outcomes.count) {
                open(now: now)
            }
        }
    }

    private mutating func remember(_ failed: Bool) {
        failures += failed ? 1 : 0
        if outcomes.count < rule.window {
            outcomes.append(failed)
        } else {
            failures -= outcomes[next] ? 1 : 0
            outcomes[next] = failed
            next = (next + 1) % rule.window
        }
    }

    private mutating func open(now: Duration) {
        epoch += 1
        forget()
        phase = .open(until: now + rule.openDuration)
    }

    private mutating func close() {
        epoch += 1
        forget()
        phase = .closed
    }

    private mutating func forget() {
        outcomes = []
        next = 0
        failures = 0
    }
}
