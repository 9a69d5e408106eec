/// Which version of HTTP the origins speak over TLS: known to the whole process, so that each is asked once.
///
/// Only a handshake tells (RFC 7301), and a connection that turns out to speak HTTP/2 is of no use to who made it: libcurl makes its own. So
/// one connection per origin is made to find out, and requests that come meanwhile wait for what it tells.
final class ProtocolRegistry: Sendable {
    enum Version: Sendable {
        case http1, http2
    }

    enum Answer: Equatable {
        case known(Version)
        /// The asker makes a connection that offers both, and tells what came of it with ``settle(_:_:)``.
        case findOut
        /// Somebody else does; the closure that was given runs when that is over.
        case wait
    }

    private enum Entry {
        case known(Version)
        case asked([@Sendable () -> Void])
    }

    static let shared = ProtocolRegistry()

    private let entries = Locked<[String: Entry]>([:])
    private let limit: Int

    /// - Parameter limit: Origins that are remembered; beyond it, some are forgotten. 4096.
    init(limit: Int = 4096) {
        self.limit = limit
    }

    /// - Parameters:
    ///   - origin: With the way to it, where that is not straight.
    ///   - whenSettled: Runs once, on the thread of whoever finds out, if the answer is ``Answer/wait``.
    func ask(_ origin: String, whenSettled: @escaping @Sendable () -> Void) -> Answer {
        entries.withLock { entries in
            switch entries[origin] {
            case .known(let version):
                return .known(version)
            case .asked(let waiting):
                entries[origin] = .asked(waiting + [whenSettled])
                return .wait
            case nil:
                entries[origin] = .asked([])
                return .findOut
            }
        }
    }

    /// Says what came of finding out, and lets those who wait ask again.
    ///
    /// - Parameter version: `nil` when no connection could be made: another has to try.
    func settle(_ origin: String, _ version: Version?) {
        let waiting: [@Sendable () -> Void] = entries.withLock { entries in
            var waiting: [@Sendable () -> Void] = []
            if case .asked(let others) = entries[origin] { waiting = others }
            if version != nil, entries.count >= limit, entries[origin] == nil { Self.forgetOne(&entries) }
            entries[origin] = version.map { .known($0) }
            if entries.count > limit { Self.forgetOne(&entries) }
            return waiting
        }
        for resume in waiting { resume() }
    }

    private static func forgetOne(_ entries: inout [String: Entry]) {
        let known = entries.first { if case .known = $0.value { true } else { false } }
        if let known { entries[known.key] = nil }
    }
}
