import DataTransfer
import Foundation
import NetworkCache
import NetworkCore
import NetworkLogging
import NetworkTesting
import Testing

extension ExtremesTests {
    /// Operations on texts take time that is linear in the length of the text.
    ///
    /// The test compares two times: for a text of four times the length, linear time is four times as long, and quadratic time
    /// 16 times.
    @Suite(.timeLimit(.minutes(10)), .serialized) struct LinearTimeTests {
        struct Work: Sendable, CustomTestStringConvertible {
            let name: String
            /// The size of the shorter text in bytes.
            var count = 1 << 13
            let run: @Sendable (String) throws -> Void

            var testDescription: String { name }
        }

        private static let api = APIConfiguration(baseURL: URL(string: "https://api.test/v1")!)

        private static func build(_ endpoint: some Requestable) throws { _ = try endpoint.networkRequest(with: api) }

        /// Each operation runs with texts of plain, encoded and multi-byte characters.
        private static let work: [Work] = [
            Work(name: "path parameter") { try build(Endpoint<Void>(path: "a/{id}", pathParameters: ["id": $0])) },
            Work(name: "path") { try build(Endpoint<Void>(path: "a/" + $0)) },
            Work(name: "path of many segments") { try build(Endpoint<Void>(path: $0.replacingOccurrences(of: "a", with: "/"))) },
            Work(name: "many path parameters", count: 1 << 12) { text in
                // Such long names are not kept by the cache of secret names, which would make only the shorter text faster.
                let long = String(repeating: "n", count: 64)
                let names = (0..<text.utf8.count / 8).map { "\(long)\($0)" }
                let values = Dictionary(uniqueKeysWithValues: names.map { ($0, "v") })
                try build(
                    Endpoint<Void>(path: names.map { "{\($0)}" }.joined(separator: "/"), pathParameters: PathParameters(values)))
            },
            Work(name: "full path") { try build(Endpoint<Void>(path: "https://host.test/" + $0, isFullPath: true)) },
            Work(name: "query item") { try build(Endpoint<Void>(path: "a", queryParameters: ["q": $0])) },
            Work(name: "name of a query item") { try build(Endpoint<Void>(path: "a", queryParameters: [$0: "v"])) },
            Work(name: "many query items", count: 1 << 12) { text in
                let items = Dictionary(uniqueKeysWithValues: (0..<text.utf8.count / 4).map { ("k\($0)", "v") })
                let shared = APIConfiguration(baseURL: api.baseURL, queryParameters: ParameterList(items))
                _ = try Endpoint<Void>(path: "a", queryParameters: ParameterList(items)).networkRequest(with: shared)
            },
            Work(name: "form") { _ = try EndpointBody.form(["f": $0]).content() },
            Work(name: "JSON") { _ = try EndpointBody.json(["f": $0]).content() },
            Work(name: "header value") { try build(Endpoint<Void>(path: "a", headerParameters: ["A": $0])) },
            Work(name: "multipart names") { text in
                var form = MultipartForm()
                form.append(.data(Data(text.utf8)), name: text, fileName: text)
                _ = try EndpointBody.multipart(form).content()
            },
            Work(name: "dot segments") { text in
                let path = String(repeating: "a/../", count: text.utf8.count / 5)
                _ = URIReference(path + text).resolved(against: URIReference("https://host.test/" + path)).url
            },
            Work(name: "key of a cache") { _ = CacheKey(url: try #require(URL(string: "https://HOST.test/%61" + $0))).digest },
            Work(name: "description of a request") { text in
                let request = NetworkRequest(url: try #require(URL(string: "https://host.test/" + text + "?" + text)))
                describe(request)
                describe(TransportError(.other, "x", request: request))
            },
            Work(name: "redaction of a URL") { _ = Redaction.default.redacted(url: "https://host.test/" + $0 + "?token=" + $0) },
            Work(name: "redaction of a text") { _ = Redaction.default.redacted(text: $0) },
            Work(name: "redaction of a header value") { _ = Redaction.default.redacted(headerValue: $0, for: "X-Any") },
            Work(name: "JSON key path") { _ = try? JSONSlicer().slice(of: Data("{}".utf8), at: JSONKeyPath($0)) },
        ]

        /// The processor time of this thread. Work on other threads is not included.
        private static func time(_ work: Work, _ text: String, times: Int) throws -> Duration {
            func now() -> Duration {
                var time = timespec()
                clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
                return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
            }
            return try (0..<times).map { _ in
                let start = now()
                try work.run(text)
                return now() - start
            }.min() ?? .zero
        }

        @Test(arguments: work) func `a text of four times the length takes less than eight times as long`(work: Work) async throws
        {
            for unit in ["a", "%25", "🎬"] {
                await Task.yield()
                let count = work.count / unit.utf8.count
                let (short, long) = (String(repeating: unit, count: count), String(repeating: unit, count: count * 4))
                var ratios: [Double] = []
                // Quadratic time exceeds the limit in every attempt. The first attempt repeats only the shorter text, whose first run prepares
                // what is created once.
                for attempt in 0..<5 where ratios.isEmpty || (ratios.last ?? 0) >= 8 {
                    let base = try Self.time(work, short, times: attempt == 0 ? 2 : 3)
                    let longer = try Self.time(work, long, times: attempt == 0 ? 1 : 3)
                    ratios.append(longer / max(base, .milliseconds(1)))
                }
                #expect((ratios.min() ?? 0) < 8, "\(work.name) of \(unit): \(ratios)")
            }
        }
    }
}
