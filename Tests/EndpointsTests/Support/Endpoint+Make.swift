import Endpoints
import Foundation
import Testing

extension Endpoint where Response == Data {
    static func make(
        _ path: String = "items",
        isFullPath: Bool = false,
        method: HTTPMethod = .get,
        pathParameters: PathParameters = [:],
        headers: HTTPHeaders = [:],
        query: Parameters = [:],
        style: QueryStyle = .default,
        body: RequestBody? = nil,
        timeouts: RequestTimeouts = RequestTimeouts()
    ) -> Endpoint {
        Endpoint(
            path: path, isFullPath: isFullPath, method: method, pathParameters: pathParameters, headerParameters: headers,
            queryParameters: query, queryStyle: style, body: body, timeouts: timeouts, responseDecoder: .rawData)
    }
}

extension APIConfiguration {
    static func make(
        _ baseURL: String = "https://api.example.com", headers: HTTPHeaders = [:], query: Parameters = [:]
    ) throws -> APIConfiguration {
        try APIConfiguration(baseURL, headers: headers, queryParameters: query)
    }
}

extension Requestable {
    /// Returns the text of the URL of the built request.
    func url(_ configuration: APIConfiguration? = nil) throws -> String {
        try networkRequest(with: configuration ?? .make()).url.absoluteString
    }

    /// Returns the error of building the request. Records an issue if it can be built.
    func generationError(_ configuration: APIConfiguration? = nil) throws -> RequestGenerationError {
        let configuration = try configuration ?? .make()
        return try #require(throws: RequestGenerationError.self) { try networkRequest(with: configuration) }
    }
}

/// Returns the query of the parameters without the question mark.
func query(_ parameters: Parameters, _ style: QueryStyle = .default) throws -> String {
    let url = try Endpoint.make("", query: parameters, style: style).url()
    return String(url.dropFirst("https://api.example.com?".count))
}
