#if os(Linux)
    import NetworkTransport

    /// Which version of HTTP each origin speaks over TLS, as an event loop knows it, and the transfers that wait until that is found out.
    ///
    /// Used only while the lock of the loop is held.
    final class OriginVersions: RequestCarrier {
        /// The number of origins after which all are forgotten.
        private static let maximum = 4096

        private let session: SessionContext
        private let inbox: LoopInbox
        private var known: [String: ProtocolRegistry.Version] = [:]
        private var waiting: [String: [LoopTransfer]] = [:]
        /// The origins for which ``LoopInbox/Command/versionSettled(_:)`` will follow, once.
        private var asked: Set<String> = []

        init(_ session: SessionContext, _ inbox: LoopInbox) {
            self.session = session
            self.inbox = inbox
        }

        /// The version that an origin speaks; `nil` if this loop does not know it.
        subscript(origin: String) -> ProtocolRegistry.Version? { known[origin] }

        /// Returns the version that an origin speaks, or how to find it out. If it is to be waited for, ``LoopInbox/Command/versionSettled(_:)``
        /// follows.
        func lookUp(_ origin: String) -> ProtocolRegistry.Lookup {
            if let version = known[origin] { return .known(version) }
            if asked.contains(origin) { return .wait }
            let lookup = ProtocolRegistry.shared.ask(registryName(of: origin)) { [weak inbox] in
                inbox?.send(.versionSettled(origin))
            }
            switch lookup {
            case .known(let version): remember(version, of: origin)
            case .wait: asked.insert(origin)
            case .findOut: break
            }
            return lookup
        }

        /// Records which version an origin speaks, in all loops of the process.
        ///
        /// - Parameter version: `nil` if the version could not be found out.
        func settle(_ origin: String, _ version: ProtocolRegistry.Version?) {
            remember(version, of: origin)
            ProtocolRegistry.shared.settle(registryName(of: origin), version)
        }

        /// Lets a transfer wait until the version of its origin is known, or has to be found out by another transfer.
        func wait(_ transfer: LoopTransfer) {
            transfer.carrier = self
            waiting[transfer.origin, default: []].append(transfer)
        }

        /// Launches the transfers that wait for the version of an origin: it is known, or has to be found out by one of them, for which the others
        /// go on waiting.
        func versionDidSettle(_ origin: String, launch: (LoopTransfer) -> Void) {
            asked.remove(origin)
            let transfers = waiting.removeValue(forKey: origin) ?? []
            for (index, transfer) in transfers.enumerated() where transfer.carrier === self {
                launch(transfer)
                if asked.contains(origin) {
                    waiting[origin, default: []] += transfers[(index + 1)...]
                    return
                }
            }
        }

        private func remember(_ version: ProtocolRegistry.Version?, of origin: String) {
            if known.count >= Self.maximum { known.removeAll() }
            known[origin] = version
        }

        /// Returns the key of an origin in the registry. It contains the route, since the same origin may be another server over
        /// another route.
        private func registryName(of origin: String) -> String {
            let configuration = session.configuration
            if let path = configuration.unixSocketPath { return "\(origin) by \(path)" }
            let origin = origin + Route.name(of: origin, session)
            switch configuration.proxy.kind {
            case .none: return origin
            case .environment: return "\(origin) by the environment"
            case .http, .https, .socks5: return "\(origin) by \(configuration.proxy.host):\(configuration.proxy.port)"
            }
        }

        // MARK: For the transfers that wait

        var stage: CarrierStage { .awaitingVersion }

        func phase(of transfer: LoopTransfer) -> TransportError.Phase { .connect }

        func progress(of transfer: LoopTransfer) -> (timings: ConnectionTimings, bytesSent: Int64) {
            (transfer.exchange.connectionTimings, Int64(transfer.upload.offset))
        }

        func abandon(_ transfer: LoopTransfer) {
            waiting[transfer.origin]?.removeAll { $0 === transfer }
        }
    }
#endif
