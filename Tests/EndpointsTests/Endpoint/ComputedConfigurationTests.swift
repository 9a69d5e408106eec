import Endpoints
import Foundation
import Testing
import TestSupport

struct ComputedConfigurationTests {
    /// Settings that count how often they are read.
    private final class Settings: @unchecked Sendable {
        // `@unchecked Sendable`: the tests use it on one thread only.
        var readCount = 0

        var current: any NetworkConfigurable {
            readCount += 1
            return APIConfiguration(
                baseURL: URL(string: "https://h\(readCount).test/v\(readCount)")!, headers: ["X-Number": "\(readCount)"],
                queryParameters: ["n": readCount])
        }
    }

    @Test(.tags(.computedConfiguration)) func `the configuration is computed once for each request`() throws {
        let settings = Settings()
        let configuration: any NetworkConfigurable = .computed { settings.current }
        for number in 1...3 {
            let request = try Endpoint<Void>(path: "a").networkRequest(with: configuration)
            #expect(request.url.absoluteString == "https://h\(number).test/v\(number)/a?n=\(number)")
            #expect(request.headers["X-Number"] == "\(number)")
            #expect(settings.readCount == number)
        }
    }

    @Test func `a computed configuration may return another one`() throws {
        let settings = Settings()
        let configuration: any NetworkConfigurable = .computed { .computed { settings.current } }
        #expect(try Endpoint<Void>(path: "a").networkRequest(with: configuration).url.host == "h1.test")
        #expect(configuration.baseURL.host == "h2.test")
    }
}
