import DataTransfer
import Foundation
import NetworkCache
import NetworkObservation
import NetworkPipeline
import NetworkRecordings
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

/// No output shows a credential, regardless of its name and encoding. Each shape is tested with each output.
@Suite(.timeLimit(.minutes(10))) struct SecretSinkTests {
    /// A value that needs no encoding, and one that is changed by each encoding.
    static let values = ["Xq7canary9Zr41Lw", #"p@ss/w+rd="q&<7%\Zt9"#]

    @Test func `no sink shows a credential in any shape`() async throws {
        var shown: [String] = []
        var counts = (sinks: Set<String>(), shapes: 0, texts: 0)
        for value in Self.values {
            let secret = SecretText(value: value)
            var checked: Set<String> = []
            let credentials: [Credential] = [.bearer(value), .basic(user: "me", password: value)]
            for shape in SecretShape.all {
                counts.shapes += 1
                let (endpoint, response) = shape.make(value)
                let texts = try await SecretSinks(credentials[counts.shapes % 2]).texts(endpoint, response)
                for (sink, text) in texts {
                    counts.texts += 1
                    counts.sinks.insert(sink)
                    if checked.insert(text).inserted, secret.isShown(in: text) {
                        shown.append("\(shape.testDescription), \(sink): \(text.prefix(600))")
                    }
                }
            }
        }
        print("\(counts.sinks.count) sinks, \(counts.shapes) shapes, \(counts.texts) texts, secrets shown: \(shown.count)")
        #expect(counts.sinks.count > 40 && counts.texts > 1_000)
        #expect(shown.isEmpty, "\(shown.count): \(shown.prefix(8).joined(separator: "\n"))")
    }
}

/// All outputs that print an exchange.
struct SecretSinks {
    private let credential: Credential

    init(_ credential: Credential) {
        self.credential = credential
    }

    func texts(_ endpoint: Endpoint<[Int]>, _ response: StubResponse) async throws -> [(sink: String, text: String)] {
        let printed = Locked<[(String, String)]>([])
        let loggers = [LogLevel.info, .debug].map { level in
            ConsoleLogger(level: level) { line in printed.withLock { $0.append(("console \(level)", line)) } }
        }
        let short = ConsoleLogger(level: .debug, maximumBodyBytes: 40) { line in
            printed.withLock { $0.append(("short console", line)) }
        }
        let stub = StubSessionManager(returning: response)
        let recording = RecordingSessionManager(stub)
        let waterfall = Waterfall()
        let events = Locked<[ExchangeEvent]>([])
        let api = try APIConfiguration("https://api.test/v1")
        var texts: [(String, Any)] = [("configuration", api), ("endpoint", endpoint)]
        for logger in loggers + [short] {
            let service = DefaultDataTransferService(
                configuration: api, sessionManager: recording,
                interceptors: [
                    .observation(waterfall), .observation { event in events.withLock { $0.append(event) } },
                    .authentication(credential, for: api),
                ],
                networkLogger: logger, errorResolver: ErrorBodyResolver<ProblemDetails>(), errorLogger: logger)
            do {
                let response = try await service.response(for: endpoint)
                texts += [("response", response), ("response headers", response.headers), ("links", LinkField(response.headers))]
                for try await _ in service.pages(of: endpoint, by: .linkHeader) {}
            } catch let error as DataTransferError {
                texts += [("error", error), ("localized error", error.localizedDescription)]
                texts += [
                    ("network error", error.networkError as Any), ("transport error", error.networkError?.transportError as Any),
                ]
                if case .parsing(let failure) = error {
                    texts += [
                        ("parsing failure", failure), ("snippet", failure.snippet), ("cause of it", failure.underlying as Any),
                    ]
                }
                texts.append(("resolved error", error.resolved(as: ProblemDetails.self) as Any))
            }
        }
        let request = try #require(stub.requests.first)
        texts += [
            ("request", request), ("request headers", request.headers), ("cURL", CurlCommand(request.logged).text),
            ("logged request", request.logged), ("waterfall", waterfall.html()), ("events", events.withLock { $0 }),
            ("archive", recording.archive), ("parameters", endpoint.queryParameters), ("body", endpoint.body as Any),
        ]
        if let raw = try? await stub.response(for: request) {
            texts += [("raw response", raw), ("status error", NetworkError.status(raw))]
        }
        var all = printed.withLock { $0 }.map { (sink: $0.0, text: $0.1) }
        all.append(("archive file", String(decoding: try recording.archive.data(), as: UTF8.self)))
        for (name, value) in texts {
            var dumped = ""
            dump(value, to: &dumped)
            all += [(name, "\(value)"), (name + " (debug)", String(reflecting: value)), (name + " (dump)", dumped)]
        }
        return all
    }
}
