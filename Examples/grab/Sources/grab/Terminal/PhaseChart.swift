import DataTransfer
import Foundation

/// The phases of a transfer as bars, each where it lies in time.
struct PhaseChart {
    private let phases: [(name: String, time: Duration)]

    init(_ timings: TransferTimings) {
        let named = [
            ("queued", timings.queued), ("name lookup", timings.nameLookup), ("connect", timings.connect), ("TLS", timings.tls),
            ("send", timings.send), ("wait", timings.wait),
        ].compactMap { name, time in time.map { (name, $0) } }
        let rest = timings.total - named.reduce(.zero) { $0 + $1.1 }
        phases = named + [("receive", max(rest, .zero))]
    }

    /// Returns a line for each phase, no wider than the terminal.
    func text(width: Int) -> String {
        let total = phases.reduce(.zero) { $0 + $1.time }
        let room = Double(max(min(width, 100) - 28, 10))
        var begin = Duration.zero
        return phases.map { name, time in
            let start = total > .zero ? Int(begin / total * room) : 0
            let length = total > .zero ? max(Int(time / total * room), 1) : 1
            begin += time
            let label = name.padding(toLength: 11, withPad: " ", startingAt: 0)
            let milliseconds = String(format: "%10.1f ms", time / .milliseconds(1))
            return "\(label)\(milliseconds)  \(String(repeating: " ", count: start))\(String(repeating: "━", count: length))"
        }.joined(separator: "\n")
    }
}
