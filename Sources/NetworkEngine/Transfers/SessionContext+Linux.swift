#if os(Linux)
    import Endpoints
    import NetworkSupport
    @_spi(SessionManagers) import NetworkTransport

    /// What the event loops of a session manager share: its configuration, and what it has learned of servers.
    final class SessionContext: Sendable {
        /// What the calls share, whatever engine they use.
        let rules: CallRules
        /// That of the rules. Stored, because a computed property would copy it.
        let configuration: SessionConfiguration
        let trust: TLSPolicyTable
        private let versions: HTTPVersionTable
        /// The addresses that replace the lookup of names.
        let overrides: AddressOverrides
        let names: NameLookups
        let tlsSessions = TLSSessionCache()
        let alternatives = Locked(AlternativeServices())
        let events = ConnectionEventHub()

        /// - Throws: ``TransportError/Code/invalidConfiguration`` for an invalid choice of versions of HTTP.
        init(
            _ rules: CallRules, trust: TLSPolicyTable, overrides: AddressOverrides = AddressOverrides(),
            resolver: any NameResolver = SystemResolver()
        ) throws(TransportError) {
            self.rules = rules
            configuration = rules.configuration
            self.overrides = overrides
            names = NameLookups(resolver, lifetime: configuration.route.nameLifetime)
            self.trust = trust
            versions = try HTTPVersionTable(rules.configuration)
        }

        /// Sets the trust policy and the versions of HTTP for the host of the current request.
        ///
        /// - Throws: ``TransportError/Code/trustUnavailable``, or ``TransportError/Code/httpVersionUnavailable`` for a version that cannot be
        ///   used, whatever the server speaks.
        func applyPolicies(to transfer: LoopTransfer) throws(TransportError) {
            let request = transfer.request
            transfer.trust = try trust.policy(for: request)
            transfer.allowedVersions = try versions.rule(for: request)
            try transfer.allowedVersions.admit(request) { TLSPolicy.quicFailure }
        }
    }

    /// What a transfer asks of the session manager's event loops, from any thread.
    protocol TransferDispatcher: AnyObject, Sendable {
        /// Gives a transfer to a loop or to the queue.
        func start(_ transfer: LoopTransfer)
        /// Removes a transfer whose outcome was delivered from the queue, or makes its loop remove it.
        func cancel(_ transfer: LoopTransfer)
        /// Makes the loop of a paused transfer continue it.
        func resume(_ transfer: LoopTransfer)
        /// Makes the loop of a transfer follow the redirect whose head it has delivered.
        func follow(_ transfer: LoopTransfer, _ next: NetworkRequest, cookies: String?)
        /// Makes the loop of a transfer receive the body of the redirect whose head it has delivered.
        func receiveBody(_ transfer: LoopTransfer)
        /// Runs a completion on the thread of a loop.
        func run(_ completion: @escaping @Sendable () -> Void)
    }
#endif
