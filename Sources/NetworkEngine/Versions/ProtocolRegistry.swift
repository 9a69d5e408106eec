import NetworkTransport
import NetworkSupport

/// The versions of HTTP that origins speak over TLS, shared by the whole process so that each is found out once.
///
/// The version is agreed on in the handshake of each connection (RFC 7301). How many connections requests need depends on it, and so
/// one connection per origin is opened first, and other requests wait for the result.
final class ProtocolRegistry: Sendable {
    enum Version: Sendable {
        case http1, http2
    }

    enum Lookup: Equatable {
        case known(Version)
        /// The caller opens a connection that offers both versions, and reports the result with ``settle(_:_:)``.
        case findOut
        /// Another caller is finding out the version. The passed closure is called when it has finished.
        case wait
    }

    private enum Entry {
        case known(Version)
        case asked([@Sendable () -> Void])
    }

    static let shared = ProtocolRegistry()

    private let entries = Locked<[String: Entry]>([:])
    private let limit: Int

    /// Creates an empty registry.
    ///
    /// - Parameter limit: The maximum number of remembered origins, beyond which arbitrary ones are removed. Default: 4096.
    init(limit: Int = 4096) {
        self.limit = limit
    }

    /// Returns the version that an origin speaks, or how to find it out.
    ///
    /// - Parameters:
    ///   - origin: The origin, together with the route to it if that is not direct.
    ///   - whenSettled: Called once if the result is ``Lookup/wait``, on the thread that calls ``settle(_:_:)``.
    func ask(_ origin: String, whenSettled: @escaping @Sendable () -> Void) -> Lookup {
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

    /// Records the version of an origin, and calls the closures of those that wait for it.
    ///
    /// - Parameter version: `nil` if no connection could be established, so that another caller has to find out the version.
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
