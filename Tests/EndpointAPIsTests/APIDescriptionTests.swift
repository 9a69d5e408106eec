import EndpointAPIs
import Foundation
import Testing
import TransferTestSupport

/// An API with default values for everything except host and endpoint.
private struct SomeAPI: API {
    var scheme = "https"
    var host = "api.example.com"
    var port: Int?
    var basePath = ""
    var endpoint = "users"
    var headers: HeaderFields = [:]
    var parameters = RequestParameters.none
    var cachePolicy = RequestCachePolicy.protocolRules
    var timeout: Duration?
    var shouldLog = true
    var method = RequestMethod.get
    var pathParameters: PathParameters = [:]
}

private enum Minimal: API {
    case users, user(Int)

    var host: String { "api.example.com" }
    var endpoint: String {
        switch self {
        case .users: "users"
        case .user(let id): "users/\(id)"
        }
    }
}

/// The values that two APIs share.
private protocol CompanyAPI: API {}
extension CompanyAPI {
    var basePath: String { "v2" }
    var headers: HeaderFields { ["Accept-Language": "en"] }
    var timeout: Duration? { .seconds(5) }
}
private struct First: CompanyAPI {
    let host = "first.example.com"
    let endpoint = "a"
}
private struct Second: CompanyAPI {
    let host = "second.example.com"
    let endpoint = "a"
    var basePath: String { "v3" }
}

struct APIDescriptionTests {
    private func built(
        _ endpoint: some Requestable, with configuration: any NetworkConfigurable = .composed
    ) throws -> NetworkRequest {
        try endpoint.networkRequest(with: configuration)
    }

    private func url(_ api: SomeAPI) throws -> String { try built(api).url.absoluteString }

    @Test(.tags(.composedAPIs)) func `an API needs only a host and an endpoint`() throws {
        let request = try built(Minimal.user(7))
        #expect(request.url.absoluteString == "https://api.example.com/users/7" && request.method == .get)
        #expect(request.headers.isEmpty && request.body == nil && request.timeouts == RequestTimeouts())
        #expect(request.context.isLogged)
    }

    @Test(arguments: [
        ("", "users", "/users"), ("", "/users", "/users"), ("", "//users", "/users"), ("v1", "users", "/v1/users"),
        ("/v1", "/users", "/v1/users"), ("/v1/", "users/", "/v1/users/"), ("//v1//", "//users", "/v1/users"),
        ("v1/a", "b", "/v1/a/b"), ("a b", "c d", "/a%20b/c%20d"), ("a%20b", "c", "/a%20b/c"), ("v1", "", "/v1"), ("/", "", ""),
        ("v1", "users?page=2", "/v1/users?page=2"), ("v1", "time:12", "/v1/time:12"),
        ("v1", "https://x.example", "/v1/https://x.example"),
    ])
    func `base path and endpoint are joined with exactly one slash`(basePath: String, endpoint: String, end: String) throws {
        #expect(try url(SomeAPI(basePath: basePath, endpoint: endpoint)) == "https://api.example.com\(end)")
    }

    @Test func `the URL contains the scheme, the port and IP addresses`() throws {
        #expect(try url(SomeAPI(scheme: "HTTP", port: 8080)) == "http://api.example.com:8080/users")
        #expect(try url(SomeAPI(host: "127.0.0.1", port: 1)) == "https://127.0.0.1:1/users")
        #expect(try url(SomeAPI(host: "::1", port: 65535)) == "https://[::1]:65535/users")
        #expect(try url(SomeAPI(host: "[::1]")) == "https://[::1]/users")
    }

    @Test(arguments: [
        (SomeAPI(scheme: "ftp"), "scheme"), (SomeAPI(scheme: ""), "scheme"), (SomeAPI(scheme: "https://"), "scheme"),
        (SomeAPI(host: ""), "host"), (SomeAPI(host: "https://a.example"), "host"), (SomeAPI(host: "a.example:80"), "host"),
        (SomeAPI(host: "a.example/b"), "host"), (SomeAPI(host: "a b"), "host"), (SomeAPI(host: "a?b"), "host"),
        (SomeAPI(host: "a#b"), "host"), (SomeAPI(host: "a%2eb"), "host"), (SomeAPI(host: "a\r\nb"), "host"),
        (SomeAPI(host: "a\\b"), "host"), (SomeAPI(host: "bücher.example"), "host"), (SomeAPI(host: ":::g"), "host"),
        (SomeAPI(host: "::1]"), "host"), (SomeAPI(host: String(repeating: "a", count: 254)), "host"),
        (SomeAPI(host: "evil.example\\@good.example"), "host"),
        (SomeAPI(port: 0), "port"), (SomeAPI(port: -1), "port"), (SomeAPI(port: 65536), "port"),
        (SomeAPI(basePath: "a?b"), "base path"), (SomeAPI(basePath: "a#b"), "base path"), (SomeAPI(basePath: "a%2"), "base path"),
        (SomeAPI(basePath: "a\nb"), "base path"), (SomeAPI(endpoint: "a%2"), "path"),
        (SomeAPI(endpoint: "{id}"), "path parameter \"id\""),
        (SomeAPI(timeout: .zero), "total timeout"), (SomeAPI(headers: ["a b": "c"]), "header name \"a b\""),
        (SomeAPI(cachePolicy: RequestCachePolicy(rawValue: "no\r\nstore")), "value of header \"Cache-Control\""),
    ])
    private func `an invalid part is an error for its field`(api: SomeAPI, field: String) {
        let error = #expect(throws: RequestGenerationError.self) { try built(api) }
        #expect(error.map { "\($0.field)" } == field, "\(String(describing: error))")
    }

    @Test func `an error contains no user information`() {
        let error = #expect(throws: RequestGenerationError.self) { try built(SomeAPI(host: "user:s3cret@a.example")) }
        #expect(error?.field == .host && error?.reason.hasSuffix("has user information, which belongs in a header") == true)
        #expect(error.map { "\($0)".contains("s3cret") } == false)
    }

    @Test(.tags(.severalHosts)) func `two APIs with two hosts share the values of a protocol extension and can override them`()
        throws
    {
        let (first, second) = (try built(First()), try built(Second()))
        #expect(first.url.absoluteString == "https://first.example.com/v2/a")
        #expect(second.url.absoluteString == "https://second.example.com/v3/a")
        for request in [first, second] {
            #expect(request.headers["Accept-Language"] == "en" && request.timeouts.total == .seconds(5))
        }
    }

    private func body(_ parameters: RequestParameters) throws -> (String, String?) {
        let request = try built(SomeAPI(parameters: parameters, method: .post))
        return (String(decoding: request.body?.data ?? Data(), as: UTF8.self), request.headers["Content-Type"])
    }

    @Test func `parameters are written to the query and the body`() throws {
        let query = try built(SomeAPI(parameters: .query(["q": "a b", "n": 1])))
        #expect(query.url.query == "q=a%20b&n=1" && query.body == nil)
        #expect(try body(.json([1, 2])) == ("[1,2]", "application/json"))
        #expect(try body(.form(["a": "b c"])) == ("a=b+c", "application/x-www-form-urlencoded"))
        #expect(try body(.body(.data(Data("x".utf8), contentType: "image/png"))) == ("x", "image/png"))
        let both = try built(SomeAPI(parameters: RequestParameters(query: ["a": 1], body: .json(true)), method: .put))
        #expect(both.url.query == "a=1" && both.body?.data == Data("true".utf8))
        let error = #expect(throws: RequestGenerationError.self) { try built(SomeAPI(parameters: .json(1))) }
        #expect(error?.field == .body)
        #expect("\(RequestParameters.query(["token": "s3cret"]))".contains("s3cret") == false)
    }

    @Test func `path templates, headers and decoders work as in other endpoints`() throws {
        let api = SomeAPI(endpoint: "users/{id}", headers: ["X-A": "1"], pathParameters: ["id": "a/b"])
        let request = try built(api.as([Int].self))
        #expect(request.url.absoluteString == "https://api.example.com/users/a%2Fb" && request.headers["X-A"] == "1")
    }

    @Test func `an API can change the composed request`() throws {
        struct Tolerant: API {
            let host = "api.example.com"
            let endpoint = "users"
            var request: RequestDescription {
                var request = composedRequest
                request.acceptedStatuses = .success + [404]
                request.timeouts.idle = .seconds(2)
                return request
            }
        }
        #expect(Tolerant().request.acceptedStatuses.contains(404))
        #expect(Tolerant().request.baseURL?.absoluteString == "https://api.example.com")
        let request = try built(Tolerant().as(Int.self))
        #expect(request.url.absoluteString == "https://api.example.com/users" && request.timeouts.idle == .seconds(2))
    }

    @Test(
        arguments: [
            (.protocolRules, nil), (.noStore, "no-store"), (.revalidate, "no-cache"), (.ignoringCaches, "no-cache, no-store"),
            (.onlyIfCached, "only-if-cached"), (.maximumAge(.seconds(60)), "max-age=60"),
            (.maximumAge(.milliseconds(-1)), "max-age=0"),
            (.maximumStaleness(.milliseconds(1999)), "max-stale=1"),
            (.minimumFreshness(.seconds(Int64.max)), "min-fresh=2147483648"),
        ] as [(RequestCachePolicy, String?)])
    func `a cache policy is sent as Cache-Control`(policy: RequestCachePolicy, value: String?) throws {
        #expect(try built(SomeAPI(cachePolicy: policy)).headers["Cache-Control"] == value)
        #expect(
            try built(SomeAPI(headers: ["cache-control": "max-age=1"], cachePolicy: policy)).headers["Cache-Control"]
                == "max-age=1")
    }

    @Test func `logging is disabled in the request's context, also through wrappers`() throws {
        #expect(try !built(SomeAPI(shouldLog: false)).context.isLogged)
        #expect(try !built(SomeAPI(shouldLog: false).as(Int.self)).context.isLogged)
        #expect(try built(SomeAPI().as(Int.self)).context.isLogged)
        var context = ContextValues()
        context.isLogged = false
        context.isLogged = true
        #expect(context.isLogged)
    }

    // MARK: With a configuration

    @Test func `the configuration's base URL is not used, and its headers and query are sent to its own origin only`() throws {
        let shared = try APIConfiguration(
            "https://api.example.com/ignored?x=1", headers: ["Authorization": "t", "Accept": "a/b"], queryParameters: ["key": "k"]
        )
        let own = try built(SomeAPI(parameters: .query(["q": 1])), with: shared)
        #expect(own.url.absoluteString == "https://api.example.com/users?key=k&q=1" && own.headers["Authorization"] == "t")
        for crossOrigin in [SomeAPI(host: "other.example.com"), SomeAPI(port: 8443), SomeAPI(scheme: "http")] {
            let request = try built(crossOrigin, with: shared)
            #expect(request.url.query == nil && request.headers["Authorization"] == nil && request.headers["Accept"] == "a/b")
        }
    }

    @Test func `without a base URL, an endpoint without a host is an error, and one with a full path is built`() throws {
        let error = #expect(throws: RequestGenerationError.self) { try built(Endpoint<Void>(path: "a")) }
        #expect(error?.field == .baseURL)
        #expect(try built(Endpoint<Void>(path: "https://a.example/b", isFullPath: true)).url.host == "a.example")
    }

    private enum Search: API {
        case all
        var host: String { "api.example.com" }
        var endpoint: String { "search" }
        var parameters: RequestParameters { .query(["sortBy": "year"], style: QueryStyle(keys: .snakeCase)) }
    }

    @Test func `the parameters of an API have a style`() throws {
        #expect(try Search.all.networkRequest(with: .composed).url.query == "sort_by=year")
        let form = RequestParameters.form(["sortBy": 1], style: QueryStyle(keys: .kebabCase))
        #expect(try body(form).0 == "sort-by=1")
    }

    private struct Filter: Encodable, Sendable {
        var page = 2
        var genre = "noir"
    }

    @Test func `parameters are made of variables and of literals`() throws {
        for parameters in [RequestParameters.query(Filter()), .query(["page": 2, "genre": "noir"])] {
            #expect(try url(SomeAPI(parameters: parameters)).hasSuffix("?page=2&genre=noir"))
        }
        for parameters in [RequestParameters.json(["genre": "noir"]), .json(["genre": "noir"] as [String: String])] {
            #expect(try body(parameters).0 == #"{"genre":"noir"}"#)
        }
        #expect(try body(.form(Filter())).0 == "page=2&genre=noir")
    }
}
