#if os(Linux)
    import COpenSSL
    import Endpoints
    import Foundation
    import NetworkSupport
    import NetworkTransport

    /// The lookup of the name that a ``ConnectAttempt`` connects to.
    struct ConnectLookup {
        let name: String
        let port: UInt16
        /// Whether addresses were used that had been found for an earlier attempt.
        var usesFound = false
        /// Whether a lookup was waited for.
        var wasPerformed = false
        /// Whether the name was looked up once more because none of those addresses could be connected to.
        var isRepeated = false
        var tickets: [(query: NameQuery, ticket: Int)] = []
        var found: [AddressFamily: [IPAddress]] = [:]
        /// Why a lookup has failed.
        var failure: String?
    }

    // The addresses of the server or of the proxy, and the sockets that are connected to them.
    extension ConnectAttempt {
        /// Begins to connect.
        func begin() {
            if let proxy = route.proxy, proxy.resolvesNamesHere {
                state = .lookingUpServer
                return find(server.host, port: server.port, onlyIPv4: proxy.kind == .socks4)
            }
            beginConnecting()
        }

        private func beginConnecting() {
            state = .connecting
            if let path = route.unixSocketPath { return connectOnly(to: path, "unixSocketPath") }
            guard let proxy = route.proxy else { return find(server.host, port: offeredPort ?? server.port) }
            if !proxy.socketPath.isEmpty { return connectOnly(to: proxy.decodedSocketPath, "proxy") }
            find(proxy.host, port: proxy.port)
        }

        /// The UDP port at which the server offers HTTP/3; `nil` if that of the origin is used.
        private var offeredPort: Int? {
            guard isQUIC else { return nil }
            return connector.context.session.alternatives.withLock { $0.port(of: key.origin, at: connector.context.now) }
        }

        private func connectOnly(to path: String, _ field: String) {
            // Many programs write the abstract namespace with this sign (unix(7)).
            let bytes = path.utf8.first == UInt8(ascii: "@") ? [0] + path.utf8.dropFirst() : Array(path.utf8)
            guard (1...SocketAddress.maximumPathBytes).contains(bytes.count) else {
                return fail(
                    ConnectFailure(
                        .invalidConfiguration, "\(field): a path must have 1...\(SocketAddress.maximumPathBytes) bytes",
                        phase: .connect))
            }
            race = ConnectRace(lookups: 0)
            race.replace([SocketAddress(place: .unix(bytes))])
            advance()
        }

        /// Finds the addresses of a host, and then connects to them, or passes one to the proxy.
        private func find(_ host: String, port: Int, onlyIPv4: Bool = false) {
            let port = UInt16(clamping: port)
            race = ConnectRace(lookups: 0)
            switch HostPlace(host) {
            case nil:
                fail(
                    ConnectFailure(
                        route.proxy == nil ? .invalidRequest : .invalidConfiguration,
                        "the address \(host.printable) is malformed, or there is no interface with the name of its zone",
                        phase: .nameLookup))
            case .address(let address, let scope):
                race.replace([SocketAddress(place: .ip(address, scope: scope), port: port)])
                advance()
            case .name(let name):
                if let addresses = connector.context.session.overrides.addresses(of: name, port: Int(port)) {
                    use(addresses.compactMap { IPAddress($0) }, port, onlyIPv4: onlyIPv4)
                } else if name.isLocalhost {
                    use(["::1", "127.0.0.1"].compactMap { IPAddress($0) }, port, onlyIPv4: onlyIPv4)
                } else {
                    lookUp(name, port, onlyIPv4: onlyIPv4)
                }
            }
        }

        /// Uses addresses that need no lookup, in their order, except that families alternate.
        private func use(_ addresses: [IPAddress], _ port: UInt16, onlyIPv4: Bool) {
            let permitted = addresses.filter { route.family.contains($0) && !(onlyIPv4 && $0.isIPv6) }
            race.replace(AddressOrder.interleaved(permitted).map { SocketAddress(place: .ip($0, scope: 0), port: port) })
            advance()
        }

        // MARK: Lookup

        private func lookUp(_ name: String, _ port: UInt16, onlyIPv4: Bool) {
            guard name.utf8.count <= 254, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                return failLookup("\(name.prefix(100).description.printable) is not a host name of at most 253 bytes")
            }
            lookup = ConnectLookup(name: name, port: port)
            let families = AddressFamily.allCases.filter { family in
                switch family {
                case .ipv4: route.family.choice != .ipv6
                case .ipv6: route.family.choice != .ipv4 && !onlyIPv4
                }
            }
            ask(families, usesFound: true)
        }

        /// Asks whether the server offers HTTP/3, for later requests. This attempt does not wait for the response.
        private func lookUpAlternatives() {
            guard transfer?.allowedVersions == .http3Advertised, isSecure, route.proxy == nil else { return }
            let (session, origin) = (connector.context.session, key.origin)
            session.names.resolver.lookUpHTTP3(host: server.host, port: server.port) { offer in
                session.alternatives.withLock { $0.note(offer, of: origin, at: monotonicNanoseconds()) }
            }
        }

        private func ask(_ families: [AddressFamily], usesFound: Bool) {
            guard let name = lookup?.name else { return }
            race.lookUpAgain(families.count)
            for family in families {
                let query = NameQuery(name: name, family: family)
                let (found, ticket) = connector.names.ask(query, usesFound: usesFound) { [self, deliver = connector.deliver] in
                    deliver(self, query, $0)
                }
                if let found {
                    lookup?.usesFound = true
                    note(.addresses(found), of: query)
                } else {
                    lookup?.tickets.append((query, ticket))
                    if lookup?.wasPerformed == false { lookUpAlternatives() }
                    lookup?.wasPerformed = true
                }
            }
            advance()
        }

        /// Handles the outcome of a lookup.
        func lookupDidEnd(_ query: NameQuery, _ result: NameResult) {
            guard let index = lookup?.tickets.firstIndex(where: { $0.query == query }) else { return }
            lookup?.tickets.remove(at: index)
            note(result, of: query)
            advance()
        }

        private func note(_ result: NameResult, of query: NameQuery) {
            guard let port = lookup?.port else { return }
            if case .failed(let reason) = result { lookup?.failure = reason }
            lookup?.found[query.family] = result.addresses
            let found = lookup?.found ?? [:]
            var addresses = (found[.ipv6] ?? []) + (found[.ipv4] ?? [])
            // The system has sorted the addresses of each family. Which family is better depends on the routes.
            if found.values.filter({ !$0.isEmpty }).count == 2 {
                addresses = AddressOrder.interleaved(AddressOrder.sorted(addresses))
            }
            race.endLookup(
                addresses.map { SocketAddress(place: .ip($0, scope: 0), port: port) }, awaitsOthers: query.family == .ipv4,
                at: connector.context.now)
        }

        func withdrawLookups() {
            for (query, ticket) in lookup?.tickets ?? [] { connector.names.withdraw(ticket, from: query) }
            lookup?.tickets = []
        }

        /// Forgets what was found for the name, if it is of no use.
        func forgetAddresses() {
            if let name = lookup?.name, race.begun > 0 { connector.names.forget(name) }
        }

        // MARK: Connecting

        /// Begins to connect to the next address, if it is time, or ends the attempt after the last one.
        func advance() {
            while true {
                guard state == .lookingUpServer || state == .connecting else { return }
                switch race.step(at: connector.context.now) {
                case .connect(let address):
                    if lookup?.wasPerformed == true, race.begun == 1 { endPhase(&timings.lookup) }
                    if state == .lookingUpServer {
                        withdrawLookups()
                        serverAddress = address.ip
                        lookup = nil
                        return beginConnecting()
                    }
                    connect(to: address)
                case .wait(let time):
                    raceDeadline = time
                    return scheduleTimer()
                case .exhausted:
                    guard let failure = exhausted() else { continue }
                    return fail(failure)
                }
            }
        }

        /// Returns the failure of an attempt for which there are no more addresses; `nil` if the name is looked up once more.
        private func exhausted() -> ConnectFailure? {
            if let lookup {
                connector.names.forget(lookup.name)
                if lookup.usesFound, !lookup.isRepeated {
                    // The server may have moved since.
                    self.lookup?.isRepeated = true
                    let families = Array(lookup.found.keys)
                    self.lookup?.found = [:]
                    ask(families, usesFound: false)
                    return nil
                }
            }
            return race.isEmpty ? lookupFailure : connectFailure
        }

        private func failLookup(_ reason: String) {
            fail(ConnectFailure(isForProxy ? .proxyFailed : .nameLookupFailed, reason, phase: .nameLookup))
        }

        private var isForProxy: Bool { route.proxy != nil && state == .connecting }

        private var lookupFailure: ConnectFailure {
            let name = lookup?.name.printable ?? server.host.printable
            let kind = route.family == .any ? "" : " of the family \(route.family.name)"
            let reason =
                lookup?.failure.map { "the lookup of \(name) has failed: \($0)" } ?? "the name \(name) has no address\(kind)"
            return ConnectFailure(isForProxy ? .proxyFailed : .nameLookupFailed, reason, phase: .nameLookup)
        }

        private func connect(to address: SocketAddress) {
            let set = connector.context.sockets
            let descriptor = isQUIC ? set.openForDatagrams(family: address.family) : set.open(family: address.family)
            guard descriptor >= 0 else {
                let error = errno
                // Another address may still connect; the race counts this one too.
                if race.active == 1, [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(error) {
                    let reason = error == ENOMEM || error == ENOBUFS ? "memory for a socket" : "descriptor"
                    return fail(.outOfResources("this process has no \(reason) left"))
                }
                return note(error, of: address)
            }
            let socket = ConnectSocket(descriptor, address, set, self)
            if let reason = set.options?.apply(
                to: descriptor, family: address.family, kind: isQUIC ? LINUX_SOCK_DGRAM : LINUX_SOCK_STREAM)
            {
                NetworkSupport.close(descriptor)
                race.attemptDidFail()
                return failures.append((address, reason))
            }
            let result = address.withSystemAddress { NetworkSupport.connect(descriptor, $0, $1) == 0 ? 0 : errno }
            switch result {
            case 0, EINPROGRESS, EINTR:
                // An event follows also if it is connected already: what begins on a connection must not interrupt the caller.
                sockets.append(socket)
                set.adopt(socket)
                connector.context.watch(socket)
            default:
                NetworkSupport.close(descriptor)
                note(result, of: address)
            }
        }

        /// Notes that an address cannot be connected to.
        func note(_ error: CInt, of address: SocketAddress) {
            lastSystemError = error
            failures.append((address, String(cString: strerror(error))))
            race.attemptDidFail()
        }

        func note(_ reason: String, of address: SocketAddress) {
            failures.append((address, reason))
            race.attemptDidFail()
        }

        func continueAtOnce() -> Bool {
            guard state == .connecting, !isQUIC, sockets.count == 1, let socket = sockets.first,
                let readiness = socket.readinessToWrite
            else { return false }
            connector.context.now = monotonicNanoseconds()
            socket.socketIsReady(readiness)
            return true
        }

        func socketIsReady(_ socket: ConnectSocket) {
            if isQUIC { return shake(socket) }
            guard state == .connecting else { return proceed() }
            guard socket.readiness.mayWrite || socket.readiness.hasEnded else { return }
            let error = socket.readiness.hasEnded ? socket.error : 0
            guard error != 0 else { return socketDidConnect(socket) }
            sockets.removeAll { $0 === socket }
            socket.close()
            note(error, of: socket.address)
            advance()
        }

        private func socketDidConnect(_ socket: ConnectSocket) {
            for other in sockets where other !== socket { other.close() }
            sockets = [socket]
            withdrawLookups()
            connector.cancel(timer)
            endPhase(&timings.connect)
            beginHandshakes()
        }

        private var connectFailure: ConnectFailure {
            let isOutOfPorts = lastSystemError == EADDRNOTAVAIL && failures.count == 1
            let code: TransportError.Code = isForProxy ? .proxyFailed : .cannotConnect
            guard failures.count > 1, let name = lookup?.name else {
                let failure = failures.first.map { $0.reason.hasPrefix("route.") ? $0.reason : "\($0.address): \($0.reason)" }
                return ConnectFailure(
                    code, (failure ?? "no address") + (isOutOfPorts ? " (this machine may have no free local port)" : ""),
                    phase: .connect, systemError: lastSystemError)
            }
            let list = failures.prefix(32).map { "\($0.address): \($0.reason)" }.joined(separator: "; ")
            return ConnectFailure(
                code, "none of the addresses of \(name.printable) can be connected to: \(list)", phase: .connect,
                systemError: lastSystemError)
        }
    }

    extension String {
        /// Whether the name always means this machine (RFC 6761 §6.3).
        fileprivate var isLocalhost: Bool {
            let name = (hasSuffix(".") ? String(dropLast()) : self).lowercased()
            return name == "localhost" || name.hasSuffix(".localhost")
        }
    }
#endif
