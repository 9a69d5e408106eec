import CoreMetrics
import DataTransfer
import Synchronization

/// The metrics of connections, for each origin.
final class ConnectionSeries: Sendable {
    /// The metrics of one origin.
    private struct Origin: Sendable {
        let idle: Meter
        let active: Meter
        let waiting: Meter

        init(_ origin: String, _ factory: any MetricsFactory) {
            let place = ServerPlace(origin: origin)
            var dimensions = [(Convention.serverAddress, place.address)]
            if let port = place.port { dimensions.append((Convention.serverPort, String(port))) }
            func connections(_ state: String) -> Meter {
                Meter(
                    label: "http.client.open_connections", dimensions: dimensions + [(Convention.connectionState, state)],
                    factory: factory)
            }
            idle = connections("idle")
            active = connections("active")
            waiting = Meter(label: "http.client.waiting_requests", dimensions: dimensions, factory: factory)
        }

        func set(_ counts: ConnectionCounts) {
            // A connection that several requests share is active as long as it has one.
            let shared = counts.multiplexed
            idle.set(counts.idle + (counts.streams == 0 ? shared : 0))
            active.set(counts.active + (counts.streams > 0 ? shared : 0))
            waiting.set(counts.waiting)
        }
    }

    private let origins = Mutex<[String: Origin]>([:])
    private let maximumOrigins: Int
    private let factory: (any MetricsFactory)?

    init(maximumOrigins: Int, factory: (any MetricsFactory)?) {
        self.maximumOrigins = max(1, maximumOrigins)
        self.factory = factory
    }

    /// Records the counts of a session manager. Origins that are missing have no connections any more.
    func record(_ counts: PoolCounts) {
        origins.withLock { origins in
            var others: ConnectionCounts?
            for (origin, count) in counts.byOrigin.sorted(by: { $0.key < $1.key }) {
                if let known = origins[origin] {
                    known.set(count)
                } else if origins.count < maximumOrigins {
                    let new = Origin(origin, factory ?? MetricsSystem.factory)
                    new.set(count)
                    origins[origin] = new
                } else {
                    others = others.map { $0 + count } ?? count
                }
            }
            if let others {
                let other = origins[Convention.other] ?? Origin(Convention.other, factory ?? MetricsSystem.factory)
                origins[Convention.other] = other
                other.set(others)
            }
            for (origin, meters) in origins where counts.byOrigin[origin] == nil {
                if origin != Convention.other || others == nil { meters.set(ConnectionCounts()) }
            }
        }
    }
}

private func + (left: ConnectionCounts, right: ConnectionCounts) -> ConnectionCounts {
    ConnectionCounts(
        idle: left.idle + right.idle, active: left.active + right.active, connecting: left.connecting + right.connecting,
        waiting: left.waiting + right.waiting, streams: left.streams + right.streams,
        multiplexed: left.multiplexed + right.multiplexed)
}
