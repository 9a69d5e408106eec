import Endpoints
import Foundation
import Testing

extension Endpoint where Response == Data {
    /// Creates an endpoint whose response is raw data; its parts have default values.
    package static func make(
        _ path: String = "items",
        isFullPath: Bool = false,
        method: RequestMethod = .get,
        pathParameters: PathParameters = [:],
        headers: HeaderFields = [:],
        query: ParameterList = [:],
        style: QueryStyle = QueryStyle(),
        body: EndpointBody? = nil,
        timeouts: RequestTimeouts = RequestTimeouts()
    ) -> Endpoint {
        Endpoint(
            path: path, isFullPath: isFullPath, method: method, pathParameters: pathParameters, headerParameters: headers,
            queryParameters: query, queryStyle: style, body: body, timeouts: timeouts, responseDecoder: .rawData)
    }
}

extension APIConfiguration {
    /// Creates a configuration with a default base URL.
    package static func make(
        _ baseURL: String = "https://api.example.com", headers: HeaderFields = [:], query: ParameterList = [:]
    ) throws -> APIConfiguration {
        try APIConfiguration(baseURL, headers: headers, queryParameters: query)
    }
}

extension Requestable {
    /// Returns the text of the URL of the built request.
    package func url(_ configuration: APIConfiguration? = nil) throws -> String {
        try networkRequest(with: configuration ?? .make()).url.absoluteString
    }

    /// Returns the error of building the request. Records an issue if it can be built.
    package func generationError(_ configuration: APIConfiguration? = nil) throws -> RequestGenerationError {
        let configuration = try configuration ?? .make()
        return try #require(throws: RequestGenerationError.self) { try networkRequest(with: configuration) }
    }
}
