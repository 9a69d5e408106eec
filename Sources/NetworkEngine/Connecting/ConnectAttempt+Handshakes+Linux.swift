#if os(Linux)
    import Endpoints
    import NetworkSupport
    import NetworkTransport

    // What follows on a connected socket: TLS to a proxy, the request to it to connect to the server, TLS to the server.
    extension ConnectAttempt {
        private var socket: ConnectSocket? { sockets.first }

        /// Begins the first handshake that the route needs.
        func beginHandshakes() {
            guard let proxy = route.proxy, proxy.kind == .https else { return beginTunnel() }
            guard let policy = route.proxyPolicy, let place = HostPlace(proxy.host) else {
                return fail(ConnectFailure(.invalidConfiguration, "proxy: its host is malformed", phase: .connect))
            }
            let key = TLSSessionCache.Key(place: proxy.address, policy: policy.number, isProxy: true)
            guard let tls = makeTLS(policy, to: place, over: nil, offering: .http1, key) else { return }
            proxyTLS = tls
            state = .securingProxy
            proceed()
        }

        private func beginTunnel() {
            guard let proxy = route.proxy, !proxy.takesAbsoluteForm || isSecure || isTunneled else { return beginTLS() }
            var handshake = proxy.handshake(
                to: server, at: serverAddress, connector.context.configuration)
            do throws(ProxyRefusal) {
                unsent = try handshake.begin()
            } catch {
                return fail(refused: error)
            }
            proxyHandshake = handshake
            state = .tunneling
            proceed()
        }

        private func beginTLS() {
            guard isSecure else { return finish() }
            guard let place = HostPlace(server.host) else {
                return fail(ConnectFailure(.invalidRequest, "the host is malformed", phase: .tls))
            }
            let key = TLSSessionCache.Key(place: key.origin, policy: policy.number)
            guard let tls = makeTLS(policy, to: place, over: proxyTLS, offering: self.key.versions, key) else { return }
            self.tls = tls
            state = .securing
            proceed()
        }

        /// Prepares TLS; fails the attempt if that is not possible.
        private func makeTLS(
            _ policy: TLSPolicy, to place: HostPlace, over below: TLSConnection?, offering versions: ConnectionKey.Versions,
            _ key: TLSSessionCache.Key
        ) -> TLSConnection? {
            guard let socket else { return nil }
            guard checkName(place) else { return nil }
            let context: TLSPolicy.Context
            do throws(TrustError) {
                context = try policy.made()
            } catch {
                let code: TransportError.Code = TLSPolicy.libraryFailure == nil ? .trustUnavailable : .unsupported
                fail(ConnectFailure(code, error.message, phase: .tls))
                return nil
            }
            let tls = TLSConnection(
                socket.descriptor, over: below, context, to: place.tlsName, protocols: versions.offer,
                sessions: connector.context.session.tlsSessions, sessionKey: key)
            if tls == nil { fail(.outOfResources("no memory for a TLS connection")) }
            return tls
        }

        /// Checks that a certificate can have the name of a server; fails the attempt otherwise.
        func checkName(_ place: HostPlace) -> Bool {
            // OpenSSL takes a name that begins with a dot for any name that ends with it.
            guard case .name(let name) = place.tlsName,
                !(1...255).contains(name.utf8.count) || name.utf8.first == UInt8(ascii: ".")
            else { return true }
            let reason =
                "the host \(name.prefix(100).description.printable) is not a name of 1...255 bytes that a certificate can have"
            fail(ConnectFailure(.invalidRequest, reason, phase: .tls))
            return false
        }

        /// Continues the current handshake, and begins the next one when it is complete.
        func proceed() {
            while true {
                switch state {
                case .lookingUpServer, .connecting, .ended: return
                case .securingProxy:
                    guard shake(proxyTLS, isProxy: true) else { return }
                    return beginTunnel()
                case .tunneling:
                    guard tunnel() else { return }
                    proxyHandshake = nil
                    endPhase(&timings.proxy)
                    return beginTLS()
                case .securing:
                    guard shake(tls, isProxy: false) else { return }
                    endPhase(&timings.tls)
                    return finish()
                }
            }
        }

        /// Continues a TLS handshake.
        ///
        /// - Returns: Whether it is complete.
        private func shake(_ tls: TLSConnection?, isProxy: Bool) -> Bool {
            guard let tls, let socket else { return false }
            switch tls.handshake() {
            case .done: return true
            case .again: return false
            case .more:
                connector.context.yieldToOthers(socket)
                return false
            case .failed:
                fail(handshake: tls, isProxy: isProxy)
                return false
            }
        }

        private func fail(handshake tls: TLSConnection, isProxy: Bool) {
            let problem = tls.problem
            tls.forgetSessions()
            let message = (isProxy ? "TLS to the proxy: " : "") + problem.message
            if problem.failure == nil { return fail(ConnectFailure(.connectionLost, message, phase: .tls)) }
            // The alerts of the proxy say nothing about the server.
            fail(
                ConnectFailure(
                    .tlsFailed, message, phase: .tls, tlsFailure: problem.failure, alert: isProxy ? 0 : problem.alert))
        }

        // MARK: Proxies

        /// Sends what the handshake with the proxy requires, and receives its replies.
        ///
        /// - Returns: Whether the proxy has connected to the server.
        private func tunnel() -> Bool {
            guard let socket else { return false }
            let channel = SocketChannel(descriptor: socket.descriptor, tls: proxyTLS)
            let buffer = connector.context.workspace.takeReadBuffer()
            defer { connector.context.workspace.giveBackReadBuffer() }
            for _ in 0..<16 {
                while !unsent.isEmpty {
                    switch unsent.withUnsafeBytes(channel.send) {
                    case .bytes(let count): unsent.removeFirst(count)
                    case .again, .withoutData: return false
                    case .end: return failProxy(.system(EPIPE))
                    case .failed(let failure): return failProxy(failure)
                    }
                }
                switch channel.receive(into: buffer) {
                case .bytes(let count):
                    do throws(ProxyRefusal) {
                        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                        switch try proxyHandshake?.receive(bytes) {
                        case .send(let bytes): unsent = bytes
                        case .connected: return true
                        case .receive, nil: break
                        }
                    } catch {
                        fail(refused: error)
                        return false
                    }
                case .again: return false
                case .withoutData: break
                case .end:
                    if let refusal = proxyHandshake?.receiveEnd() { fail(refused: refusal) }
                    return false
                case .failed(let failure): return failProxy(failure)
                }
            }
            connector.context.yieldToOthers(socket)
            return false
        }

        private func failProxy(_ failure: SocketChannel.Failure) -> Bool {
            let reason =
                switch failure {
                case .system(let number): String(cString: strerror(number))
                case .tls(let problem): problem.message
                case .withoutData: "TLS has received more than \(SocketChannel.maximumWithoutData) bytes that carry no data"
                }
            fail(ConnectFailure(.proxyFailed, "the connection to the proxy was lost: \(reason)", phase: .connect))
            return false
        }

        private func fail(refused refusal: ProxyRefusal) {
            fail(ConnectFailure(refusal.isTemporary ? .proxyFailed : .proxyRefused, refusal.message, phase: .connect))
        }

        // MARK: The end

        func fail(_ failure: ConnectFailure) {
            guard state != .ended else { return }
            let timings = timings
            close()
            connector.attemptDidFail(self, failure, timings)
        }

        private func finish() {
            guard let socket else { return }
            state = .ended
            sockets = []
            socket.detach()
            let proxy = route.proxy
            let channel = tls ?? proxyTLS
            let speaksHTTP2 = key.versions.includesHTTP2 && (!isSecure || tls?.agreedProtocol == .http2)
            let established = EstablishedConnection(
                descriptor: socket.descriptor,
                key: ConnectionKey(origin: key.origin, trust: key.trust, versions: speaksHTTP2 ? .http2 : .http1),
                tls: channel, isSecure: isSecure,
                forwarder: !isSecure && !isTunneled && proxy?.takesAbsoluteForm == true ? proxy : nil,
                timings: timings, serverAddress: NetworkResponse.ServerAddress(socket.address),
                readiness: socket.readiness)
            tls = nil
            proxyTLS = nil
            connector.attemptDidFinish(self, established, socket)
        }
    }

    extension ConnectionKey.Versions {
        /// What a TLS handshake offers (RFC 7301 §3.1).
        fileprivate var offer: [UInt8] {
            (includesHTTP2 ? [2] + "h2".utf8 : []) + (includesHTTP1 ? [8] + "http/1.1".utf8 : [])
        }
    }
#endif
