#if os(Linux)
    import Endpoints
    import NetworkTransport

    // Which version of HTTP a request is sent over.
    extension EventLoop {
        // Over an HTTP/1.1 connection or an HTTP/2 stream; before, it may have to find out which version of HTTP the origin speaks.
        func launch(_ transfer: LoopTransfer) {
            transfer.carrier = nil
            transfer.timeLimits.fallback = .max
            guard let trust = transfer.trust else { return }
            if transfer.request.requestsUpgrade {
                // Over HTTP/2 there is no Upgrade (RFC 9113 §8.6), and libcurl has no extended CONNECT (RFC 8441).
                if transfer.versionRule == .http2 {
                    let error = TransportError(
                        .unsupported, "Upgrade: the server speaks HTTP/2 only", phase: .tls, request: transfer.request)
                    return end(transfer, .failure(error))
                }
                transfer.versionRule = .http1
                return launchHTTP1(transfer, trust)
            }
            let hasTrailers = transfer.request.body?.trailers != nil
            if transfer.versionRule == .http2, hasTrailers {
                let error = transfer.request.trailersUnsupported("the server speaks HTTP/2 only, over which libcurl sends none")
                return end(transfer, .failure(error))
            }
            switch transfer.allowedVersions {
            case .http1: return launchHTTP1(transfer, trust)
            case .http2:
                let isShared = transfer.request.parsedURL.isSecure || LibraryQuirks.current.sharesPlainConnections
                return streams.launch(transfer, trust, sharesConnections: isShared)
            case .http3: return streams.launch(transfer, trust, version: .http3(port: nil))
            case .http3Preferred, .http3Advertised: if !hasTrailers, streams.launchAlternative(transfer, trust) { return }
            case .automatic: break
            }
            guard transfer.request.parsedURL.isSecure else { return launchHTTP1(transfer, trust) }
            guard LibraryQuirks.current.speaksHTTP2, transfer.versionRule != .http1 else { return launchHTTP1(transfer, trust) }
            switch versions.lookUp(transfer.origin) {
            case .known(.http1): launchHTTP1(transfer, trust)
            case .known(.http2):
                if avoidsHTTP2(transfer) { launchHTTP1(transfer, trust) } else { streams.launch(transfer, trust) }
            case .findOut: connect(transfer, trust, offersHTTP2: true)
            case .wait:
                versions.wait(transfer)
                schedule(transfer, at: transfer.timeLimits.connect)
            }
        }

        private func avoidsHTTP2(_ transfer: LoopTransfer) -> Bool {
            guard transfer.versionRule == .any else { return false }
            // libcurl sends no trailers over HTTP/2.
            if transfer.request.body?.trailers != nil { return true }
            let quirks = LibraryQuirks.current
            if transfer.request.headerBytes > quirks.maximumHeaderBytesOfHTTP2 { return true }
            if quirks.losesEarlyResponses, transfer.isLargeUpload { return true }
            return quirks.keepsEndedTunnels && (try? streams.route(for: transfer))?.proxy.server?.takesAbsoluteForm == true
        }

        /// Launches the transfers that wait for the version of an origin: it is known, or has to be found out by one of them.
        func launchWaiting(for origin: String) {
            // A launched transfer may have to wait again.
            for transfer in versions.takeWaiting(for: origin) where transfer.isHere { launch(transfer) }
        }
    }
#endif
