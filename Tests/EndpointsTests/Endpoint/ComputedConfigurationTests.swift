import Endpoints
import Foundation
import Testing

struct ComputedConfigurationTests {
    /// Counts how often it was asked.
    private final class Settings: @unchecked Sendable {
        // Sendable although unchecked: the tests use it on one thread.
        var asked = 0

        var current: any NetworkConfigurable {
            asked += 1
            return APIConfiguration(
                baseURL: URL(string: "https://h\(asked).test/v\(asked)")!, headers: ["X-Number": "\(asked)"],
                queryParameters: ["n": asked])
        }
    }

    @Test func `each request is built with one answer, the next with another`() throws {
        let settings = Settings()
        let configuration = ComputedConfiguration { settings.current }
        for number in 1...3 {
            let request = try Endpoint<Void>(path: "a").networkRequest(with: configuration)
            #expect(request.url.absoluteString == "https://h\(number).test/v\(number)/a?n=\(number)")
            #expect(request.headers["X-Number"] == "\(number)")
            #expect(settings.asked == number)
        }
    }

    @Test func `one may stand in another`() throws {
        let settings = Settings()
        let configuration = ComputedConfiguration { ComputedConfiguration { settings.current } }
        #expect(try Endpoint<Void>(path: "a").networkRequest(with: configuration).url.host == "h1.test")
        #expect(configuration.baseURL.host == "h2.test")
    }
}
