#if os(Linux)
    import Endpoints
    import NetworkSupport
    import NetworkTransport

    // Which version of HTTP a request is sent over.
    extension EventLoop {
        // On a connection over HTTP/1.1 or HTTP/2; before, it may have to find out which version of HTTP the origin speaks.
        func launch(_ transfer: LoopTransfer) {
            transfer.carrier = nil
            guard let trust = transfer.trust else { return }
            if transfer.request.requestsUpgrade { return launchUpgrade(transfer, trust) }
            switch transfer.allowedVersions {
            case .http1: return launchHTTP1(transfer, trust)
            case .http2: return launchHTTP2(transfer, trust)
            case .http3: return launchHTTP3(transfer, trust)
            case .http3Preferred:
                if mayUseHTTP3(transfer) { return launchHTTP3(transfer, trust) }
            case .http3Advertised:
                let port = session.context.alternatives.withLock { $0.port(of: transfer.origin, at: now) }
                if port != nil, mayUseHTTP3(transfer) { return launchHTTP3(transfer, trust) }
            case .automatic: break
            }
            guard transfer.request.isSecure, transfer.versionRule != .http1 else {
                return launchHTTP1(transfer, trust)
            }
            switch versions.lookUp(transfer.origin) {
            case .known(.http1): launchHTTP1(transfer, trust, .either)
            case .known(.http2):
                widen(transfer.origin)
                http2.launch(transfer, trust, .either)
            case .findOut: connect(transfer, trust, .either)
            case .wait:
                versions.wait(transfer)
                schedule(transfer, at: transfer.timeLimits.connect)
            }
        }

        /// Sends a request for another protocol over HTTP/1.1; for a WebSocket over HTTP/2 if its server permits that on a connection that
        /// exists (RFC 8441), or if it has to be HTTP/2.
        private func launchUpgrade(_ transfer: LoopTransfer, _ trust: TLSPolicy) {
            let isWebSocket = transfer.request.requestsWebSocket
            if transfer.allowedVersions == .http2 || transfer.versionRule == .http2 {
                // There is no Upgrade otherwise (RFC 9113 §8.6).
                guard !isWebSocket else { return launchHTTP2(transfer, trust) }
                let error = TransportError(
                    .unsupported, "Upgrade: the server speaks HTTP/2 only", phase: .tls, request: transfer.request)
                return end(transfer, .failure(error))
            }
            let mayUseHTTP2 = isWebSocket && transfer.allowedVersions != .http1 && transfer.versionRule != .http1
            if mayUseHTTP2, http2.launchTunnel(transfer, trust) { return }
            launchHTTP1(transfer, trust)
        }

        /// Sends a request over HTTP/2, which its configuration or its server requires.
        private func launchHTTP2(_ transfer: LoopTransfer, _ trust: TLSPolicy) {
            if !transfer.request.isSecure, context.configuration.proxy.kind != .none {
                do throws(TransportError) {
                    let route = try Route(session.context, for: transfer.request)
                    if route.proxy?.takesAbsoluteForm == true {
                        throw TransportError(
                            .httpVersionUnavailable,
                            "httpVersion requires HTTP/2, which HTTP proxies do not pass on without TLS", phase: .connect,
                            request: transfer.request)
                    }
                } catch {
                    return end(transfer, .failure(error))
                }
            }
            widen(transfer.origin)
            http2.launch(transfer, trust, .http2)
        }
    }
#endif
