#if os(Linux)
    import COpenSSL
    import Endpoints
    import NetworkSupport
    import NetworkTransport

    /// A trust policy as OpenSSL enforces it: a context that the TLS connections under the policy share.
    ///
    /// The context is made when it is first needed, so that a program that uses `http` only needs no OpenSSL and reads no authorities.
    final class TLSPolicy: Sendable {
        /// The index of the policy in its ``TLSPolicyTable``.
        let number: Int
        private let trust: LoadedTrust
        private let keyLog: TLSKeyLog?
        private let context = Locked<Result<Context, TrustError>?>(nil)
        private let quicContext = Locked<Result<Context, TrustError>?>(nil)

        /// Prepares a policy.
        ///
        /// - Parameter keyLog: Where the secrets of its connections are written; `nil` for nowhere.
        init(_ trust: LoadedTrust, keyLog: TLSKeyLog? = nil) {
            number = trust.number
            self.trust = trust
            self.keyLog = keyLog
        }

        /// Whether the server's certificate is verified.
        var isVerified: Bool {
            if case .anyone = trust.roots { false } else { true }
        }

        /// Whether the policy requires nothing beyond the default.
        var isDefault: Bool { trust.isDefault }

        /// Returns the context, and makes it first if that was not done yet.
        ///
        /// - Throws: The reason why the policy cannot be enforced, each time.
        func made() throws(TrustError) -> Context { try made(context, isQUIC: false) }

        /// Returns the context of connections over QUIC, and makes it first if that was not done yet.
        ///
        /// - Throws: The reason why the policy cannot be enforced, each time.
        func madeForQUIC() throws(TrustError) -> Context { try made(quicContext, isQUIC: true) }

        private func made(
            _ context: borrowing Locked<Result<Context, TrustError>?>, isQUIC: Bool
        ) throws(TrustError) -> Context {
            try context.withLock { context in
                if let context { return context }
                let made = Result { () throws(TrustError) in try Context(trust, keyLog, isQUIC: isQUIC) }
                context = made
                return made
            }.get()
        }

        /// Why OpenSSL cannot be used; `nil` if it can.
        static var libraryFailure: String? { copenssl_load_failure().map { String(cString: $0) } }

        /// Why OpenSSL's QUIC cannot be used; `nil` if it can. The first call looks up its functions.
        static var quicFailure: String? { copenssl_quic_failure().map { String(cString: $0) } }

        /// OpenSSL's context of a policy.
        // Sendable although unchecked: OpenSSL protects what its connections share with locks.
        final class Context: @unchecked Sendable {
            let pointer: OpaquePointer

            fileprivate init(_ trust: LoadedTrust, _ keyLog: TLSKeyLog?, isQUIC: Bool) throws(TrustError) {
                if let failure = TLSPolicy.libraryFailure { throw TrustError("https is not available: \(failure)") }
                if isQUIC, let failure = TLSPolicy.quicFailure { throw TrustError("HTTP/3 is not available: \(failure)") }
                let roots = try TrustedRoots.make(trust.roots)
                let pins = trust.pins.flatMap(\.self)
                let made = copenssl_policy_create(
                    roots?.pointer, pins, trust.pins.count, CInt(trust.minimumTLSVersion.rawValue), keyLog?.descriptor ?? -1,
                    isQUIC ? 1 : 0)
                guard let made else { throw TrustError("no memory for a TLS context") }
                pointer = made
                if let identity = trust.identity { try use(identity) }
            }

            deinit {
                copenssl_policy_free(pointer)
            }

            private func use(_ identity: LoadedIdentity) throws(TrustError) {
                var text = [CChar](repeating: 0, count: Int(COPENSSL_TEXT_SIZE))
                let isUsed: CInt
                switch identity.form {
                case .separate(let certificates, let key):
                    isUsed = copenssl_policy_set_identity(
                        pointer, certificates.flatMap(\.self), certificates.map(\.count), certificates.count, key.start,
                        key.count,
                        identity.passphrase, &text, text.count)
                case .container(let container):
                    isUsed = copenssl_policy_set_container(
                        pointer, container.start, container.count, identity.passphrase, &text, text.count)
                }
                guard isUsed != 0 else {
                    throw TrustError(
                        "clientIdentity: \(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self))")
                }
            }
        }
    }

    extension TLSPolicy: Equatable {
        static func == (left: TLSPolicy, right: TLSPolicy) -> Bool { left === right }
    }

    /// The trust policies of a session manager.
    struct TLSPolicyTable: Sendable {
        private let table: TrustTable
        private let policies: [TLSPolicy]

        /// Loads all policies of a configuration, and checks that OpenSSL accepts what they contain, if there is an OpenSSL.
        ///
        /// - Throws: ``TransportError/Code/trustUnavailable`` for a policy that cannot be loaded or enforced.
        init(_ configuration: SessionConfiguration) throws(TransportError) {
            table = try TrustTable(configuration)
            let keyLog = try configuration.tlsKeyLogFile.map { url throws(TransportError) in try TLSKeyLog(url) }
            policies = table.all.map { TLSPolicy($0, keyLog: keyLog) }
            for (policy, trust) in zip(policies, table.all) where !policy.isDefault && TLSPolicy.libraryFailure == nil {
                do throws(TrustError) {
                    _ = try policy.made()
                } catch {
                    throw error.transportError(of: trust.subject)
                }
            }
        }

        /// Returns the policy for the host of a request.
        ///
        /// - Throws: ``TransportError/Code/trustUnavailable``.
        func policy(for request: NetworkRequest) throws(TransportError) -> TLSPolicy {
            policies[try table.trust(for: request).number]
        }

        /// Returns the policy for the host of an HTTPS proxy.
        ///
        /// - Throws: ``TransportError/Code/trustUnavailable`` if there are policies for hosts and this one is written in a form that cannot be
        ///   compared.
        func policy(ofProxy host: String) throws(TransportError) -> TLSPolicy {
            guard let trust = table.trust(ofHost: host[...]) else {
                throw TransportError(
                    .trustUnavailable, "the host of the proxy is written in a form that cannot be matched to a trust policy")
            }
            return policies[trust.number]
        }
    }
#endif
