import DataTransfer
import Foundation

let api = try APIConfiguration("https://api.example.com/3")

// snippet.limits
let session = DefaultSessionManager(
    configuration: SessionConfiguration {
        $0.maximumConnectionsPerHost = 32
        $0.idleTimeout = .seconds(15)
        $0.totalTimeout = .seconds(60)
        $0.maximumBodyBytes = 8 << 20
    })
let service = DefaultDataTransferService(
    configuration: api, sessionManager: session)
// snippet.end

// snippet.versions
let versions = DefaultSessionManager(
    configuration: SessionConfiguration {
        $0.httpVersionByHost["api.example.com"] = .http2
        $0.httpVersionByHost["*.cdn.example.com"] = .http3Preferred
    })
// snippet.end

// snippet.cookies
let cookies = try CookieStore(
    contentsOf: URL(fileURLWithPath: "/var/lib/app/cookies.json"))
try cookies.set(
    StoredCookie(name: "theme", value: "dark", domain: "api.example.com"))
let withCookies = DefaultSessionManager(
    configuration: SessionConfiguration { $0.cookies = .stored(in: cookies) })
// snippet.end

#if os(Linux)
    // snippet.routes
    let routed = SocketSessionManager(
        configuration: SessionConfiguration {
            $0.route.addresses["api.example.com"] = ["10.0.0.7", "10.0.0.8"]
            $0.route.localAddress = .interface("eth0")
            $0.route.keepAliveProbes = .init(idle: .seconds(30))
            $0.strictTransport = .file(
                URL(fileURLWithPath: "/var/lib/app/hsts"))
        })
    // snippet.end
    print(routed)

    let password = "…"

    // snippet.proxy
    let throughProxy = SocketSessionManager(
        configuration: SessionConfiguration {
            $0.proxy = .http(
                host: "proxy.example.com", port: 3128, username: "app",
                password: password, excludedHosts: ["localhost", "10.0.0.0/8"])
        })
    let direct = SocketSessionManager(
        configuration: SessionConfiguration { $0.proxy = .none })
    // snippet.end
    print(throughProxy, direct)
#endif

// snippet.priority
var thumbnail = Endpoint<Data>(path: "thumbnail/7", responseDecoder: .rawData)
thumbnail.priority = .low
// snippet.end

// snippet.redirects
var login = Endpoint<Void>(
    path: "login", method: .post, acceptedStatuses: [.found])
login.redirects = .doNotFollow
var report = Endpoint<Data>(path: "report", responseDecoder: .rawData)
report.redirects = .decide {
    $0.target.host == "files.example.com" ? .follow : .refuse("another host")
}
// snippet.end

#if os(Linux)
    // snippet.run
    let titles = try await session.run {
        try await service.request(Endpoint<[String]>(path: "movie/titles"))
    }
    // snippet.end
    print(titles)
#endif

// snippet.interceptor
struct TraceHeader: NetworkInterceptor {
    func intercept(_ request: NetworkRequest, next: NetworkExchange)
        async throws(TransportError) -> NetworkResponse
    {
        var request = request
        request.headers["X-Trace"] = "1"
        return try await next(request)
    }
}

let traced = DefaultDataTransferService(
    configuration: api, interceptors: [TraceHeader()])
// snippet.end

// snippet.curl
let request = try Endpoint<Void>(path: "movie/7").networkRequest(with: api)
print(CurlCommand(request.logged).text)
// snippet.end

print(service, traced, withCookies)
