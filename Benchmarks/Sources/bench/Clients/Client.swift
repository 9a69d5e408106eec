import CLoop
import DataTransfer
import Foundation
import NetworkCache

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The clients that are compared, by the names they have in figures.
enum Client: String, CaseIterable {
    /// `SocketSessionManager`, async.
    case engine
    /// The same with two event loops.
    case engine_loops2
    /// The same with one event loop, on which each task runs: `session.run`.
    case executor
    /// The same with a loop for each processor, and each task on one of the loops.
    case executors
    /// A typed endpoint through `DefaultDataTransferService` over the engine, decoded as JSON, logging off.
    case stack
    /// `DefaultNetworkService` over the engine, with the interceptors of ``PipelineBench``.
    case pipeline
    /// `DefaultNetworkService` over the engine, without interceptors.
    case service
    /// The same behind a cache in memory.
    case cached
    /// A typed endpoint as in `stack`, over a session manager that responds at once: for profiles of the layers alone.
    case stack_immediate
    /// The interceptors of `pipeline`, over such a session manager.
    case pipeline_immediate
    /// No interceptors, over such a session manager.
    case service_immediate
    /// `URLSession` as it is, with completion handlers.
    case urlsession
    /// async-http-client, async.
    case ahc
    /// Plain C over libcurl's multi interface and its HTTP.
    case c_loop
    /// Go's net/http, in a separate process.
    case go
    /// hyper (Rust) on one thread, in a separate process.
    case hyper
    /// node's http, in a separate process.
    case node
    /// `NetworkWebSocket` over the engine.
    case websocket
    /// The same with a loop for each processor, and each socket's task on one of the loops.
    case websocket_executor
    /// SwiftNIO's WebSocket client in a `ChannelHandler`.
    case nio_handler
    /// SwiftNIO's WebSocket client with `NIOAsyncChannel`.
    case nio_async
    /// The Python package `websockets`, in a separate process.
    case python

    /// Puts the client under load.
    ///
    /// - Returns: How many requests have ended well, whenever it is called.
    func start(_ load: Load) throws -> @Sendable () -> Int {
        switch self {
        case .engine: startEngine(load, loops: 1)
        case .engine_loops2: startEngine(load, loops: 2)
        case .executor: startExecutor(load, loops: 1)
        case .executors:
            startExecutor(load, loops: min(load.concurrency, ProcessInfo.processInfo.activeProcessorCount))
        case .go, .hyper, .node, .python: fail("\(self) measures itself")
        case .stack: try startStack(load)
        case .pipeline: try startPipeline(load)
        case .service: try startService(load, interceptors: [])
        case .cached: try startService(load, interceptors: [CacheInterceptor()])
        case .stack_immediate: try startStack(load, ImmediateSession(body: Data("42".utf8)))
        case .pipeline_immediate: try startPipeline(load, ImmediateSession(body: Document.example))
        case .service_immediate: try startService(load, ImmediateSession(body: Document.example), interceptors: [])
        case .urlsession: startURLSession(load)
        case .ahc: startAsyncHTTPClient(load)
        case .websocket: startWebSocket(load, onExecutors: false)
        case .websocket_executor: startWebSocket(load, onExecutors: true)
        case .nio_handler: startNIOHandler(load)
        case .nio_async: startNIOAsync(load)
        case .c_loop:
            startCLoop(load)
            return { cloop_completed() }
        }
        return { load.completed }
    }

    private func startEngine(_ load: Load, loops: Int) {
        let session = SocketSessionManager(limit: load.concurrency, loops: loops, authority: load.authority)
        let request = NetworkRequest(url: load.url)
        load.keepUp { load in
            let response = try await session.response(for: request)
            load.count(status: response.statusCode, bytes: response.data.count)
        }
    }

    private func startExecutor(_ load: Load, loops: Int) {
        let session = SocketSessionManager(limit: load.concurrency, loops: loops, authority: load.authority)
        let request = NetworkRequest(url: load.url)
        load.keepUp(on: session.executors) { load in
            let response = try await session.response(for: request)
            load.count(status: response.statusCode, bytes: response.data.count)
        }
    }

    private func startStack(_ load: Load, _ session: (any NetworkSessionManager)? = nil) throws {
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration(load.url.deletingLastPathComponent().absoluteString),
            sessionManager: session ?? SocketSessionManager(limit: load.concurrency, authority: load.authority))
        let path = load.url.lastPathComponent
        if path == Document.tiny {
            let endpoint = Endpoint<Int>(path: path)
            load.keepUp { load in
                guard try await service.request(endpoint) == 42 else { fail("another value than expected") }
                load.count()
            }
        } else {
            let endpoint = Endpoint<Document>(path: path)
            load.keepUp { load in
                guard try await service.request(endpoint).items.count == 8 else { fail("another value than expected") }
                load.count()
            }
        }
    }

    private func startPipeline(_ load: Load, _ session: (any NetworkSessionManager)? = nil) throws {
        let configuration = try APIConfiguration(load.url.deletingLastPathComponent().absoluteString)
        try startService(load, session, interceptors: PipelineBench.interceptors(for: configuration))
    }

    private func startService(
        _ load: Load, _ session: (any NetworkSessionManager)? = nil, interceptors: [any NetworkInterceptor]
    ) throws {
        let configuration = try APIConfiguration(load.url.deletingLastPathComponent().absoluteString)
        let service = DefaultNetworkService(
            configuration: configuration,
            sessionManager: session ?? SocketSessionManager(limit: load.concurrency, authority: load.authority),
            interceptors: interceptors)
        let endpoint = Endpoint<Data>(path: load.url.lastPathComponent, responseDecoder: .rawData)
        load.keepUp { load in
            let response = try await service.response(for: endpoint)
            load.count(status: response.statusCode, bytes: response.data.count)
        }
    }

    private func startURLSession(_ load: Load) {
        guard load.authority == nil else { fail("URLSession cannot be given a certificate authority") }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = load.concurrency
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        let session = URLSession(configuration: configuration)
        @Sendable func send() {
            let task = session.dataTask(with: URLRequest(url: load.url)) { data, response, error in
                guard let data, let response = response as? HTTPURLResponse else { fail("\(String(describing: error))") }
                load.count(status: response.statusCode, bytes: data.count)
                send()
            }
            task.resume()
        }
        for _ in 0..<load.concurrency { send() }
    }

    private func startCLoop(_ load: Load) {
        Thread.detachNewThread {
            let result = cloop_run(load.url.absoluteString, CInt(load.concurrency), load.bodyBytes, load.authority?.path)
            fail(result == 0 ? "the C loop cannot start" : "the C loop got another response than expected")
        }
    }
}

extension SocketSessionManager {
    /// With as many connections as there are requests at a time.
    convenience init(limit: Int, loops: Int = 1, authority: URL? = nil) {
        self.init(
            configuration: SessionConfiguration {
                $0.eventLoops = loops
                $0.maximumConnectionsPerHost = limit
                $0.maximumConnections = max(limit, loops)
                $0.maximumIdleConnections = limit
                if let authority { $0.trust.roots = .pem(.file(authority)) }
            })
    }
}
