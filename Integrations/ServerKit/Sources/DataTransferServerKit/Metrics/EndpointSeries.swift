import CoreMetrics
import DataTransfer
import Synchronization

/// The metrics of one endpoint: made once, because looking up a metric takes longer than recording a value.
final class EndpointSeries: Sendable {
    private struct Outcome: Sendable {
        var status: Int?
        var error: String?
        let timer: CoreMetrics.Timer
    }

    private let active: Meter
    private let timeInQueue: CoreMetrics.Timer
    private let resends: Counter
    private let cacheHits: Counter
    private let dimensions: [(String, String)]
    private let maximumOutcomes: Int
    private let factory: any MetricsFactory
    private let outcomes = Mutex<[Outcome]>([])
    private let rejected = Mutex<[String: Counter]>([:])

    init(_ key: EndpointKey, maximumOutcomes: Int, _ factory: any MetricsFactory) {
        let place = ServerPlace(origin: key.origin)
        var dimensions = [(Convention.method, Convention.known(method: key.method)), (Convention.serverAddress, place.address)]
        if let port = place.port { dimensions.append((Convention.serverPort, String(port))) }
        if let name = key.name { dimensions.append((Convention.urlTemplate, name)) }
        self.dimensions = dimensions
        self.maximumOutcomes = max(1, maximumOutcomes)
        self.factory = factory
        active = Meter(label: "http.client.active_requests", dimensions: dimensions, factory: factory)
        timeInQueue = CoreMetrics.Timer(label: "http.client.request.time_in_queue", dimensions: dimensions, factory: factory)
        resends = Counter(label: "http.client.request.resends", dimensions: dimensions, factory: factory)
        cacheHits = Counter(label: "http.client.cache.hits", dimensions: dimensions, factory: factory)
    }

    func beginAttempt(number: Int) {
        active.increment()
        if number > 1 { resends.increment() }
    }

    /// Records the end of an attempt.
    ///
    /// - Parameter queued: The time in which it waited for a connection; `nil` if it is not known.
    func endAttempt(status: Int?, error: String?, queued: Duration?, nanoseconds duration: Int64) {
        active.decrement()
        timer(status: status, error: error).recordNanoseconds(duration)
        if let queued { timeInQueue.recordNanoseconds(nanoseconds(queued)) }
    }

    func endCall(_ outcome: LoggedOutcome) {
        if outcome.source == .cache { return cacheHits.increment() }
        guard outcome.attempts == 0, let error = outcome.error as? TransportError else { return }
        rejections(error.code.rawValue).increment()
    }

    /// Returns the timer for attempts with an outcome.
    private func timer(status: Int?, error: String?) -> CoreMetrics.Timer {
        outcomes.withLock { outcomes in
            for outcome in outcomes where outcome.status == status && outcome.error == error { return outcome.timer }
            let isOther = outcomes.count >= maximumOutcomes
            if isOther, let last = outcomes.last(where: { $0.error == Convention.other }) { return last.timer }
            var dimensions = dimensions
            let type = isOther ? Convention.other : error ?? status.flatMap(Convention.errorType(status:))
            if let status, !isOther { dimensions.append((Convention.status, String(status))) }
            if let type { dimensions.append((Convention.errorType, type)) }
            let timer = CoreMetrics.Timer(label: "http.client.request.duration", dimensions: dimensions, factory: factory)
            outcomes.append(
                isOther ? Outcome(error: Convention.other, timer: timer) : Outcome(status: status, error: error, timer: timer))
            return timer
        }
    }

    /// Returns the counter for calls that failed without being sent.
    private func rejections(_ error: String) -> Counter {
        rejected.withLock { counters in
            if let counter = counters[error] { return counter }
            let error = counters.count >= maximumOutcomes ? Convention.other : error
            if let counter = counters[error] { return counter }
            let counter = Counter(
                label: "http.client.request.rejections", dimensions: dimensions + [(Convention.errorType, error)],
                factory: factory)
            counters[error] = counter
            return counter
        }
    }
}
