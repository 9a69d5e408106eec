import DataTransferValkey

/// A simulation of the rate limiter with thousands of clients, which is the same each time: events in the order of their times, a server that
/// works on one script after another, and the bucket that the script keeps.
public struct LimiterSimulation: Sendable {
    /// The number of clients, each of which sends one request after another.
    public var clients: Int
    /// The requests per second that the fleet may send.
    public var perSecond: Double
    /// The tokens of a full bucket.
    public var burst: Double
    /// The longest wait that a client accepts, in seconds.
    public var maximumDelay = 5.0
    /// The simulated time, in seconds.
    public var time = 60.0
    /// The time that the server takes for a script, in microseconds.
    public var scriptTime = 12.0
    /// The time at which the server loses its state and is absent for a second, in seconds. Default: never.
    public var restartAt: Double?

    /// What a run has shown.
    public struct Summary: Sendable {
        /// The number of requests that were sent.
        public var sent = 0
        /// The number of requests that were refused, as they would have waited for too long.
        public var refused = 0
        /// The number of scripts that the server ran.
        public var scripts = 0
        /// The requests per second from the end of the first second.
        public var rate = 0.0
        /// The largest number by which the requests in any time exceeded the limit for that time.
        public var excess = 0.0
        /// The share of its time in which the server works.
        public var load = 0.0
        /// The median of the waits of requests that were sent, in milliseconds.
        public var medianWait = 0.0
        /// The longest of these waits, in milliseconds.
        public var longestWait = 0.0
        /// The requests of the client with the fewest.
        public var fewest = 0
        /// The requests of the client with the most.
        public var most = 0
    }

    private struct Event {
        var time: Double
        var client: Int
    }

    /// Creates a simulation.
    public init(clients: Int, perSecond: Double, burst: Double) {
        self.clients = clients
        self.perSecond = perSecond
        self.burst = burst
    }

    /// Runs it.
    public func run(seed: UInt64 = 1) -> Summary {
        var generator = SeededGenerator(seed: seed)
        var summary = Summary()
        var events = Heap()
        for client in 0..<clients { events.add(Event(time: Double.random(in: 0..<1_000_000, using: &generator), client: client)) }
        let interval = 1e6 / perSecond
        var bucket = TokenBucket(interval: interval, burst: burst)
        var free = 0.0
        var slots: [Int64] = []
        var waits: [Double] = []
        var perClient = [Int](repeating: 0, count: clients)
        var absence = restartAt.map { $0 * 1e6 } ?? .infinity
        /// The time up to which each client knows that tokens are reserved, and the generation it knows.
        var known = [(due: Double, generation: Int)](repeating: (0, 0), count: clients)
        var generation = 0
        while let event = events.take(), event.time < time * 1e6 {
            let arrival = event.time + Double.random(in: 50..<500, using: &generator)
            if arrival >= absence, arrival < absence + 1e6 {
                // Its share of the limit is less than a request in the absence.
                events.add(Event(time: arrival + Double.random(in: 200_000..<2_000_000, using: &generator), client: event.client))
                continue
            }
            if arrival >= absence + 1e6 {
                bucket = TokenBucket(interval: interval, burst: burst, emptyAt: absence + 1e6 + 2_000_000 + 1e6)
                generation += 1
                absence = .infinity
            }
            let start = max(arrival, free)
            free = start + scriptTime
            summary.scripts += 1
            if known[event.client].generation != generation { bucket.due = max(bucket.due, known[event.client].due) }
            let wait = bucket.take(at: start, maximum: maximumDelay * 1e6)
            known[event.client] = (bucket.due, generation)
            let received = free + Double.random(in: 50..<500, using: &generator)
            if wait <= maximumDelay * 1e6 {
                summary.sent += 1
                perClient[event.client] += 1
                slots.append(Int64(start + wait))
                waits.append(wait / 1000)
                events.add(Event(time: received + wait + 20_000, client: event.client))
            } else {
                summary.refused += 1
                events.add(
                    Event(time: received + Double.random(in: 500_000..<1_500_000, using: &generator), client: event.client))
            }
        }
        let shown = LimiterFleet.summary(of: slots.sorted(), perSecond: perSecond)
        (summary.rate, summary.excess) = (shown.rate, shown.excess)
        summary.load = Double(summary.scripts) * scriptTime / (time * 1e6)
        waits.sort()
        summary.medianWait = waits.isEmpty ? 0 : waits[waits.count / 2]
        summary.longestWait = waits.last ?? 0
        summary.fewest = perClient.min() ?? 0
        summary.most = perClient.max() ?? 0
        return summary
    }

    /// Events, the earliest of which is taken first.
    private struct Heap {
        private var events: [Event] = []

        mutating func add(_ event: Event) {
            events.append(event)
            var index = events.count - 1
            while index > 0, events[index].time < events[(index - 1) / 2].time {
                events.swapAt(index, (index - 1) / 2)
                index = (index - 1) / 2
            }
        }

        mutating func take() -> Event? {
            guard let first = events.first else { return nil }
            let last = events.removeLast()
            guard !events.isEmpty else { return first }
            events[0] = last
            var index = 0
            while true {
                let children = [2 * index + 1, 2 * index + 2].filter { $0 < events.count }
                guard let least = children.min(by: { events[$0].time < events[$1].time }), events[least].time < events[index].time
                else { return first }
                events.swapAt(index, least)
                index = least
            }
        }
    }
}
