import DataTransferServerKit
import Foundation
import Logging
import NetworkTesting
import ServerKitTesting
import Synchronization
import Tracing

/// Writes down log entries.
final class LogRecorder: Sendable {
    struct Entry: Sendable {
        var level: Logger.Level
        var message: String
        var metadata: [String: String]

        var text: String { "\(level) \(message)" }
    }

    private let written = Mutex<[Entry]>([])

    var entries: [Entry] { written.withLock { $0 } }
    var texts: [String] { entries.map(\.text) }

    func logger(_ level: Logger.Level) -> Logger {
        var logger = Logger(label: "test") { _ in Handler(recorder: self) }
        logger.logLevel = level
        return logger
    }

    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.MetadataValue? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let entry = Entry(
                level: event.level, message: "\(event.message)", metadata: (event.metadata ?? [:]).mapValues { "\($0)" })
            recorder.written.withLock { $0.append(entry) }
        }
    }
}

extension SpanAttributes {
    /// The attributes as text.
    var texts: [String: String] {
        var texts: [String: String] = [:]
        forEach { name, value in
            switch value {
            case .string(let text): texts[name] = text
            case .stringConvertible(let value): texts[name] = "\(value)"
            case .int64(let number): texts[name] = "\(number)"
            case .double(let number): texts[name] = "\(number)"
            default: texts[name] = "another type"
            }
        }
        return texts
    }
}

/// The endpoint of most tests, and services for it.
struct Fixture {
    static let endpoint = Endpoint<String>(path: "movie/{id}", pathParameters: ["id": 7], responseDecoder: .text)

    let session = StubSessionManager()
    let metrics = InMemoryMetrics()
    let tracer = InMemoryTracer()
    let logs = LogRecorder()

    func service(
        _ kit: ServerKit? = nil, query: ParameterList = [:], _ configure: (inout RequestPipeline) -> Void = { _ in }
    ) throws -> DefaultDataTransferService {
        var pipeline = RequestPipeline {
            $0.retry = RetryInterceptor(options: RetryOptions(backoff: Backoff(base: .zero, maximumDelay: .zero)), budget: nil)
        }
        configure(&pipeline)
        return DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: URL(string: "https://api.test:8443/3")!, queryParameters: query),
            sessionManager: session, pipeline: pipeline,
            serverKit: kit
                ?? ServerKit(logger: logs.logger(.trace), metrics: .metrics(factory: metrics), tracing: .tracing(tracer)))
    }
}
