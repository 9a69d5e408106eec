#if os(Linux)
    import NetworkSupport
    import NetworkTransport

    /// What performs lookups of names.
    protocol NameResolver: Sendable {
        /// Looks up a name without blocking the calling thread.
        ///
        /// - Parameter completion: Called once, on any thread, with the outcome, and how long it may be kept as the name server says; `nil` if it does not.
        func lookUp(_ query: NameQuery, completion: @escaping @Sendable (NameResult, _ lifetime: Duration?) -> Void)

        /// Looks up whether a server offers HTTP/3 (RFC 9460), without blocking the calling thread.
        ///
        /// - Parameter completion: Called with the outcome, on any thread. Not called if the name server has not responded, or says nothing of HTTP/3.
        func lookUpHTTP3(host: String, port: Int, completion: @escaping @Sendable (AlternativeServiceField) -> Void)
    }

    extension NameResolver {
        func lookUpHTTP3(host: String, port: Int, completion: @escaping @Sendable (AlternativeServiceField) -> Void) {}
    }

    /// Looks up names for the event loops of a session manager. All of them share what was found.
    final class NameLookups: Sendable {
        /// Receives the outcome of a lookup, on any thread.
        typealias Waiter = @Sendable (NameResult) -> Void

        private let table = Locked(NameTable<Waiter>())
        let resolver: any NameResolver
        /// How long the addresses of names are kept at most, in nanoseconds.
        private let lifetime: UInt64

        init(_ resolver: any NameResolver, lifetime: Duration) {
            self.resolver = resolver
            self.lifetime = lifetime.boundedNanoseconds
        }

        /// Asks for addresses.
        ///
        /// - Parameters:
        ///   - usesFound: Whether addresses that were found before are good enough.
        ///   - waiter: Called once with the outcome of a lookup, unless it is withdrawn before.
        /// - Returns: The addresses, or a ticket for ``withdraw(_:from:)`` if the waiter is called later.
        func ask(
            _ query: NameQuery, usesFound: Bool, _ waiter: @escaping Waiter
        ) -> (found: [IPAddress]?, ticket: Int) {
            let now = monotonicNanoseconds()
            let (step, ticket) = table.withLock {
                $0.ask(query, for: waiter, usesFound: usesFound, at: now)
            }
            switch step {
            case .found(let addresses): return (addresses, ticket)
            case .wait(let startsLookup):
                if startsLookup { start(query) }
                return (nil, ticket)
            }
        }

        private func start(_ query: NameQuery) {
            resolver.lookUp(query) { [self] result, limit in
                let lifetime = limit.map { min($0.boundedNanoseconds, self.lifetime) } ?? lifetime
                let waiters = table.withLock { $0.settle(query, result, lifetime: lifetime, at: monotonicNanoseconds()) }
                for waiter in waiters { waiter(result) }
            }
        }

        /// Stops waiting. The lookup cannot be cancelled; what it finds serves a later request.
        func withdraw(_ ticket: Int, from query: NameQuery) {
            table.withLock { $0.withdraw(ticket, from: query) }
        }

        /// Forgets the addresses of a name, since none of them can be connected to.
        func forget(_ name: String) {
            table.withLock { $0.forget(name) }
        }
    }
#endif
