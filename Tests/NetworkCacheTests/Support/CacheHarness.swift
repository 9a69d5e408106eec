import Endpoints
import Foundation
import NetworkLogging
import NetworkTesting
import TransferTestSupport

@testable import NetworkCache
@testable import NetworkTransport

/// A cache between a caller and a stubbed origin.
struct CacheHarness {
    let origin = StubSessionManager()
    let time = TestTime()
    let store: any CacheStore
    let cache: CacheInterceptor
    var isStreamed: Bool
    private let behind: [any NetworkInterceptor]

    init(
        isStreamed: Bool = false, store: any CacheStore = MemoryCacheStore(), options: CacheOptions = .patient,
        partition: (@Sendable (NetworkRequest) -> CachePartition)? = nil, logger: (any NetworkErrorLogger)? = nil,
        behind: [any NetworkInterceptor] = []
    ) {
        self.isStreamed = isStreamed
        self.store = store
        self.behind = behind
        cache = CacheInterceptor(
            store: store, options: options, partition: partition, logger: logger, now: { [time] in time.now })
    }

    /// A partition for all requests.
    static let all: @Sendable (NetworkRequest) -> CachePartition = { _ in CachePartition(named: "all") }
    static let url = "https://api.example.com/item"

    /// Adds the next response of the origin.
    func enqueue(_ body: String, _ lines: String..., status: Int = 200) {
        origin.enqueue(StubResponse(status: status, headers: HeaderFields(lines: lines), body: Data(body.utf8)))
    }

    func send(
        _ lines: String..., method: RequestMethod = .get, url: String = CacheHarness.url
    ) async throws -> CacheResult {
        guard let url = URL(string: url) else { throw CancellationError() }
        return try await send(NetworkRequest(method: method, url: url, headers: HeaderFields(lines: lines)))
    }

    func send(_ lines: [String]) async throws -> CacheResult {
        guard let url = URL(string: Self.url) else { throw CancellationError() }
        return try await send(NetworkRequest(url: url, headers: HeaderFields(lines: lines)))
    }

    func send(_ request: NetworkRequest) async throws -> CacheResult {
        let chain = InterceptedSession(interceptors: [cache] + behind, session: origin)
        let response = isStreamed ? try await chain.stream(for: request).collected() : try await chain.response(for: request)
        return CacheResult(response)
    }

    /// The number of requests that the origin has received.
    var requestCount: Int { origin.requests.count }
}

/// A response as the caller receives it, with the parts of `Cache-Status` that tests check.
struct CacheResult {
    let response: NetworkResponse

    init(_ response: NetworkResponse) {
        self.response = response
    }

    var body: String { String(decoding: response.data, as: UTF8.self) }
    var status: String { response.headers["Cache-Status"] ?? "" }
    var isHit: Bool { status.contains("; hit") }
    var isStored: Bool { status.contains("; stored") }
    var age: String? { response.headers["Age"] }
}

extension CacheOptions {
    /// The default options with ten minutes for a revalidation, which does not pass on a busy machine.
    static var patient: CacheOptions {
        var options = CacheOptions()
        options.revalidationTimeout = .seconds(600)
        return options
    }
}
