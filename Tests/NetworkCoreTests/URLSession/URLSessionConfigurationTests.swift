import Endpoints
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkTransport
@testable import NetworkURLSession

extension URLSessionTests {
    /// What a session manager takes from a `URLSessionConfiguration`, and what it replaces.
    @Suite(.timeLimit(.minutes(10))) struct URLSessionConfigurationTests {
        @Test func `what the caller sets is kept`() {
            let configuration = URLSessionConfiguration.default
            configuration.allowsCellularAccess = false
            configuration.isDiscretionary = true
            configuration.networkServiceType = .background
            configuration.httpAdditionalHeaders = ["X-Tenant": "7"]
            configuration.connectionProxyDictionary = ["HTTPProxy": "proxy.example"]
            configuration.protocolClasses = [ScriptedProtocol.self]
            let governed = configuration.governed(by: SessionConfiguration())
            #expect(governed !== configuration && !governed.allowsCellularAccess && governed.isDiscretionary)
            #expect(governed.networkServiceType == .background)
            #expect(governed.httpAdditionalHeaders?["X-Tenant"] as? String == "7")
            #expect(governed.connectionProxyDictionary?["HTTPProxy"] as? String == "proxy.example")
            #expect(governed.protocolClasses?.contains { $0 == ScriptedProtocol.self } == true)
        }

        @Test func `time limits and the number of connections are those of the session manager`() {
            let configuration = URLSessionConfiguration.default
            configuration.timeoutIntervalForRequest = 1
            configuration.timeoutIntervalForResource = 2
            configuration.httpMaximumConnectionsPerHost = 3
            let governed = configuration.governed(by: SessionConfiguration { $0.maximumConnectionsPerHost = 9 })
            #expect(governed.timeoutIntervalForRequest == URLSessionConfiguration.backstop)
            #expect(governed.timeoutIntervalForResource == URLSessionConfiguration.backstop)
            #expect(governed.httpMaximumConnectionsPerHost == 9 && configuration.httpMaximumConnectionsPerHost == 3)
        }

        @Test func `cookies of the session are used if the session manager has none`() {
            let configuration = URLSessionConfiguration.default
            #expect(configuration.governed(by: SessionConfiguration()).httpCookieStorage != nil)
            let governed = configuration.governed(by: SessionConfiguration { $0.cookies = .separate })
            #expect(governed.httpCookieStorage == nil && !governed.httpShouldSetCookies)
        }

        /// A cache is an interceptor (`NetworkCache`): with a second one below it, a response would be stale twice, and one for other credentials.
        @Test func `a URLCache is neither read nor written`() async throws {
            let server = try LoopbackServer { _ in LoopbackResponse.text("a").header("max-age=600", for: "Cache-Control") }
            let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
            let configuration = URLSessionConfiguration.ephemeral
            configuration.urlCache = cache
            configuration.requestCachePolicy = .returnCacheDataElseLoad
            let manager = URLSessionManager(sessionConfiguration: configuration)
            for _ in 0..<2 { _ = try await manager.response(for: NetworkRequest(url: server.url("/a"))) }
            #expect(server.requestCount == 2 && cache.currentMemoryUsage == 0 && configuration.urlCache === cache)
            #expect(configuration.governed(by: SessionConfiguration()).urlCache == nil)
        }

        @Test func `a task ignores caches, and has no credentials for a proxy`() throws {
            let url = try #require(URL(string: "http://a.example/"))
            let request = NetworkRequest(url: url, headers: ["Proxy-Authorization": "Basic eA==", "Authorization": "Bearer t"])
            let session = URLSession(configuration: .isolated)
            defer { session.invalidateAndCancel() }
            let task = request.task(in: session, upload: nil, userAgent: "a", handlesCookies: false, cookie: nil)
            let sent = try #require(task.originalRequest)
            #expect(sent.cachePolicy == .reloadIgnoringLocalCacheData && sent.value(forHTTPHeaderField: "User-Agent") == "a")
            #expect(sent.value(forHTTPHeaderField: "Proxy-Authorization") == nil)
            #expect(sent.value(forHTTPHeaderField: "Authorization") == "Bearer t")
        }
    }
}
