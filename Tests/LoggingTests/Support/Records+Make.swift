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

/// A random number generator whose numbers are the same in each run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
