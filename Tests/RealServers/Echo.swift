import DataTransfer
import Foundation
import Testing

/// The description of a request that httpbin's `/anything` returns.
struct Echo: Decodable, Sendable {
    /// One value, or several of the same name.
    struct Values: Decodable, Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
        var all: [String]

        init(stringLiteral value: String) {
            all = [value]
        }

        init(arrayLiteral elements: String...) {
            all = elements
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let one = try? container.decode(String.self) {
                all = [one]
            } else {
                all = try container.decode([String].self)
            }
        }
    }

    var method: String
    var url: String
    var args: [String: Values]
    var headers: [String: String]
    var data: String
    var form: [String: Values]
    var files: [String: Values]
}

extension NetworkResponse {
    var text: String { String(decoding: data, as: UTF8.self) }

    var echo: Echo {
        get throws { try JSONDecoder().decode(Echo.self, from: data) }
    }
}

extension NetworkSessionManager {
    func send(
        _ method: RequestMethod = .get, _ url: String, headers: HeaderFields = [:], body: Data? = nil,
        timeouts: RequestTimeouts = RequestTimeouts()
    ) async throws -> NetworkResponse {
        let url = try #require(URL(string: url))
        return try await response(
            for: NetworkRequest(
                method: method, url: url, headers: headers, body: body.map(NetworkBody.data), timeouts: timeouts))
    }

    /// Sends a request that is expected to fail, and returns its error.
    func failure(
        _ method: RequestMethod = .get, _ url: String, timeouts: RequestTimeouts = RequestTimeouts(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> TransportError {
        let error = await #expect(throws: TransportError.self, sourceLocation: sourceLocation) {
            _ = try await send(method, url, timeouts: timeouts)
        }
        return try #require(error, sourceLocation: sourceLocation)
    }
}
