#if os(Linux)
    import Endpoints

    /// Sends requests over connections that the libcurl makes which Foundation already loads: the default on Linux.
    ///
    /// An event loop in a thread of its own, or several, connections kept alive and shared by all requests of this session manager,
    /// HTTP/2 where the server offers it over TLS. HTTP/1.1 is its own (RFC 9112), HTTP/2 is libcurl's. Cancelling closes the socket. A thread starts with the first request that needs it;
    /// when the session manager is released, it ends after the last transfer has.
    public final class CurlSessionManager: NetworkSessionManager, CookieSource {
        /// The limits in force.
        public let configuration: SessionConfiguration
        private let loops: Result<CurlLoops, TransportError>

        /// Shared by all services that are not given a session manager, and with it its connections.
        public static let shared = CurlSessionManager()

        /// Reads the files that the configuration's trust policies name.
        ///
        /// - Parameter configuration: Limits that make no sense are an error of each request
        ///   (``TransportError/Code/invalidConfiguration``), and so is trust that cannot be loaded or enforced
        ///   (``TransportError/Code/trustUnavailable``).
        public init(configuration: SessionConfiguration = SessionConfiguration()) {
            self.configuration = configuration
            do throws(TransportError) {
                try configuration.validate()
                loops = .success(CurlLoops(configuration: configuration, trust: try CurlTrustTable(configuration)))
            } catch {
                loops = .failure(error)
            }
        }

        deinit {
            if case .success(let loops) = loops { loops.close() }
        }

        /// Sends a request. Its URL's user information is sent as `Authorization` unless there is one.
        ///
        /// - Parameter completion: Runs exactly once, on ``BackgroundThreads/completions``, so that it may block.
        /// - Returns: A handle that calls the transfer off.
        @discardableResult
        public func request(
            _ request: NetworkRequest,
            completion: @escaping @Sendable (Result<NetworkResponse, TransportError>) -> Void
        ) -> any NetworkCancellable {
            if request.body?.looksAtFiles == true {
                return TaskCancellable { () async throws(TransportError) in
                    try await self.response(for: request)
                } completion: {
                    completion($0)
                }
            }
            do throws(TransportError) {
                let transfer = try transfer(for: request, isStreamed: false)
                transfer.begin(.completion { completion($0.map(\.parsed)) })
                return transfer
            } catch {
                return FailedRequest.deliver(error, to: completion)
            }
        }

        package var storesCookies: Bool { configuration.storesCookies }

        package func storedCookies(for request: NetworkRequest) -> String? {
            (try? loops.get())?.cookies?.added(to: request)
        }

        /// Sends a request, without a detour by a completion.
        ///
        /// - Throws: ``TransportError``; at once when the task is cancelled.
        public func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
            try await answer(to: try await preparedTransfer(for: request, isStreamed: false)).parsed
        }

        /// Sends a request, and returns when the head of its response has come.
        ///
        /// A reader that does not go on reading stops the socket, and letting go of the body closes it. `maximumBodyBytes` does not apply,
        /// and the idle timeout stands still while the reader is what is waited for.
        ///
        /// - Throws: ``TransportError``; at once when the task is cancelled.
        public func stream(for request: NetworkRequest) async throws(TransportError) -> StreamedResponse {
            let transfer = try await preparedTransfer(for: request, isStreamed: true)
            let response = try await answer(to: transfer)
            let body = transfer.download.map { pipe in
                ResponseStream(next: pipe.next, end: { pipe.end }, stop: transfer.cancel)
            }
            return StreamedResponse(
                statusCode: response.status, headers: response.head.headers, url: response.url, timings: response.timings,
                body: body ?? ResponseStream(response.body))
        }

        private func answer(to transfer: CurlTransfer) async throws(TransportError) -> RawResponse {
            let outcome = await withTaskCancellationHandler {
                await withUnsafeContinuation { transfer.begin(.continuation($0)) }
            } onCancel: {
                transfer.cancel()
            }
            return try outcome.get()
        }

        private func preparedTransfer(
            for request: NetworkRequest, isStreamed: Bool
        ) async throws(TransportError) -> CurlTransfer {
            guard request.body?.looksAtFiles == true else { return try transfer(for: request, isStreamed: isStreamed) }
            return try await BackgroundThreads.files.value { () throws(TransportError) in
                try self.transfer(for: request, isStreamed: isStreamed)
            }
        }

        /// Looks at the body's files, and so may block.
        private func transfer(for request: NetworkRequest, isStreamed: Bool) throws(TransportError) -> CurlTransfer {
            do throws(TransportError) {
                let request = try request.prepared()
                let length = try request.body.map { content throws(TransportError) in try content.length(for: request) } ?? 0
                return CurlTransfer(request, bodyLength: length, isStreamed: isStreamed, loops: try loops.get())
            } catch {
                request.reportEnd()
                throw error
            }
        }
    }

    extension NetworkSessionManager where Self == CurlSessionManager {
        /// The engine over libcurl, with its own connections: `.curl()`.
        public static func curl(_ configuration: SessionConfiguration = SessionConfiguration()) -> CurlSessionManager {
            CurlSessionManager(configuration: configuration)
        }
    }
#endif
