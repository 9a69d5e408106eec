import Foundation
import NetworkLogging

extension LoggedRequest {
    static func make(
        _ method: String = "GET",
        _ url: String = "https://example.com/",
        headers: KeyValuePairs<String, String> = [:],
        body: String? = nil
    ) -> LoggedRequest {
        LoggedRequest(
            method: method,
            url: URL(string: url) ?? URL(fileURLWithPath: "/unparsable"),
            headers: headers.map { LoggedField(name: $0.key, value: $0.value) },
            body: body.map { .data(Data($0.utf8)) },
            identifier: 7)
    }
}

extension LoggedResponse {
    static func make(
        _ statusCode: Int = 200,
        headers: KeyValuePairs<String, String> = [:],
        body: String? = nil
    ) -> LoggedResponse {
        LoggedResponse(
            statusCode: statusCode,
            headers: headers.map { LoggedField(name: $0.key, value: $0.value) },
            body: body.map { Data($0.utf8) },
            duration: .microseconds(12_340))
    }
}

/// An error with a given description.
struct StubError: Error, CustomStringConvertible {
    var description: String
}
