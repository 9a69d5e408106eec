import DataTransfer
import Foundation
import NetworkTesting

/// The values with which the rows of ``DescribedValues`` are made.
struct Marks: Sendable {
    /// The value of each credential: password, token, key, cookie, user information, and header whose content is not known.
    var secret: String
    /// The value of each other text that a peer, a person or a request can determine.
    var text: String
    /// The value of each constant of a program: a code, a name, a region, a path of a file.
    let name = "harmless"

    var url: URL { URL(string: "https://me:\(secret)@api.test/\(text)?token=\(secret)&q=\(text)")! }
    var file: URL { URL(fileURLWithPath: "/tmp/\(name)") }
    var field: HeaderFields.Field { .init(name: "X-Note", value: secret) }
    var headers: HeaderFields {
        HeaderFields([
            field, .init(name: "Authorization", value: "Bearer \(secret)"), .init(name: "Cookie", value: "sid=\(secret)"),
            .init(name: "Set-Cookie", value: "sid=\(secret)"), .init(name: "Location", value: url.absoluteString),
            .init(name: "Content-Type", value: "application/json"),
        ])
    }
    var json: String { #"{"password":"\#(secret)","note":"\#(text)"}"# }
    var data: Data { Data(json.utf8) }
    var request: NetworkRequest { NetworkRequest(method: .post, url: url, headers: headers, body: .data(data)) }
    var response: NetworkResponse { NetworkResponse(statusCode: 400, headers: headers, body: .data(data), url: url) }
    var stub: StubResponse { StubResponse(headers: headers, body: data) }
    var parameters: ParameterList { ["password": secret] }
    var api: APIConfiguration { APIConfiguration(baseURL: url, headers: headers, queryParameters: parameters) }
    var endpoint: Endpoint<NoContent> {
        Endpoint(path: text, method: .post, headerParameters: headers, queryParameters: parameters, body: .json(parameters))
    }
    /// A session whose responses contain the values.
    var session: StubSessionManager { StubSessionManager(returning: stub) }
    var error: TransportError {
        TransportError(.other, text, request: request, underlying: Unredacted(url: url, password: secret))
    }
}

/// An error and an interceptor of a program, whose descriptions are those that the compiler makes.
struct Unredacted: Error, NetworkInterceptor {
    var url: URL
    var password: String

    func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        try await next(request)
    }
}
