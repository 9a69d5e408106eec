#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport
    import Endpoints
    import NetworkSupport

    /// A session manager over sockets, the default on Linux.
    ///
    /// It runs one event loop, or `eventLoops` of them, each in a separate thread. Connections are kept alive and shared by all requests of
    /// the session manager. HTTP/2 is used where the server offers it over TLS (``SessionConfiguration/httpVersion``), else HTTP/1.1. TLS needs the system's
    /// OpenSSL, 1.1.1 or 3.x, which is loaded with the first `https` request: without it, such a request fails with
    /// ``TransportError/Code/unsupported``. Cancelling a request over HTTP/1.1 closes its connection; over HTTP/2 it resets the stream.
    /// A thread starts with the first request that needs it. After the session manager is released, it ends when its last transfer has ended.
    public final class SocketSessionManager: NetworkSessionManager {
        /// The configuration that was passed to the initializer.
        public let configuration: SessionConfiguration
        /// Made of the proxy, the route, the trust policies, the client identities and the cookies of the configuration.
        public let identity: SessionIdentity
        private let owner: Result<SessionOwner, TransportError>
        let loopExecutors: [LoopExecutor]
        /// The number of times that ``executor`` was read.
        let turn = Locked(0)

        /// The session manager of all services that are created without one; they share its connections.
        public static let shared = SocketSessionManager()

        /// Creates a session manager, and reads the files that the configuration's trust policies name.
        ///
        /// - Parameter configuration: If a value is invalid, each request fails with
        ///   ``TransportError/Code/invalidConfiguration``. If a trust policy cannot be loaded or enforced, each request fails with
        ///   ``TransportError/Code/trustUnavailable``.
        public init(configuration: SessionConfiguration = SessionConfiguration()) {
            self.configuration = configuration
            do throws(TransportError) {
                let rules = try CallRules(configuration)
                let context = try SessionContext(
                    rules, trust: try TLSPolicyTable(configuration), overrides: try AddressOverrides(configuration.route),
                    resolver: HTTPSResolver(configuration.route) ?? SystemResolver())
                let owner = SessionOwner(SocketSession(context))
                identity = rules.identity
                self.owner = .success(owner)
                loopExecutors = owner.session.inboxes.map { LoopExecutor(owner, $0) }
            } catch {
                owner = .failure(error)
                identity = .unique()
                loopExecutors = []
            }
        }

        var session: SocketSession {
            get throws(TransportError) { try owner.get().session }
        }

        /// The hosts that are contacted over TLS only; `nil` if none are remembered.
        var strictTransportStore: StrictTransportStore? { (try? session)?.context.rules.strictTransport }

        /// Sends a request. The user information of its URL is sent as `Authorization` unless the request has that field.
        ///
        /// - Parameters:
        ///   - request: The request to send.
        ///   - completion: Called exactly once, where ``SessionConfiguration/completions`` says: by default on
        ///     ``BackgroundThreads/completions``, where it may do work that blocks.
        /// - Returns: A handle that cancels the transfer.
        @discardableResult
        public func response(
            for request: NetworkRequest,
            completion: @escaping @Sendable (Result<NetworkResponse, TransportError>) -> Void
        ) -> any NetworkCancellable {
            if request.hasBody, request.body?.looksAtFiles == true {
                return TaskCancellable { () async throws(TransportError) in
                    try await self.response(for: request)
                } completion: {
                    completion($0)
                }
            }
            do throws(TransportError) {
                let transfer = try transfer(for: request)
                transfer.driver.start(over: transfer, completion: completion)
                return transfer
            } catch {
                return EndedOperation.deliver(error, to: completion)
            }
        }

        /// The store of the cookies that are added to requests; `nil` if there are none.
        public var cookieStore: CookieStore? { (try? session)?.context.rules.cookieStore }

        /// Sends a request and returns its response: the complete one, or, if the request is streamed, one whose head was received.
        ///
        /// While the reader of a streamed body does not read, no more bytes are received from the server. Releasing the body cancels
        /// the transfer. `maximumBodyBytes` does not apply to it, and the idle timeout does not run while the transfer waits for the
        /// reader.
        ///
        /// - Throws: ``TransportError``. When the task is cancelled, the error is thrown at once.
        public func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
            #if DEBUG
                if Self.sendsOnEventLoops, EventLoop.ofThisThread == nil {
                    return try await run { () async throws(TransportError) in try await send(request) }
                }
            #endif
            return try await send(request)
        }

        @inline(__always)
        private func send(_ request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
            let transfer: LoopTransfer
            if request.hasBody, request.body?.looksAtFiles == true {
                transfer = try await BackgroundThreads.files.value { () throws(TransportError) in
                    try self.transfer(for: request)
                }
            } else {
                transfer = try self.transfer(for: request)
            }
            return try await transfer.driver.response(over: transfer)
        }

        /// Validates a request and creates its transfer. May block, because it examines the body's files.
        private func transfer(for request: NetworkRequest) throws(TransportError) -> LoopTransfer {
            do throws(TransportError) {
                let session = try session
                var request = try session.context.rules.prepared(request)
                var length: Int64? = 0
                if request.hasBody, let body = try request.body?.measured(for: request) {
                    length = body.knownLength
                    request.body = body
                }
                return LoopTransfer(request, bodyLength: length, session.context, session)
            } catch {
                request.reportEnd()
                throw error
            }
        }
    }

    extension SocketSessionManager: RedactedStringConvertible {}

    /// The former name of ``SocketSessionManager``.
    @available(*, deprecated, renamed: "SocketSessionManager")
    public typealias CurlSessionManager = SocketSessionManager
#endif
