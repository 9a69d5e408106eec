import DataTransferHTTPTypes
import Foundation

// Declarations in the shape of those of swift-openapi-runtime, which is not a dependency.
protocol ClientTransport: Sendable {
    func send(
        _ request: HTTPRequest, body: HTTPBody?, baseURL: URL,
        operationID: String
    ) async throws -> (HTTPResponse, HTTPBody?)
}

final class HTTPBody: AsyncSequence, Sendable {
    enum Length: Equatable, Sendable { case unknown, known(Int64) }
    enum IterationBehavior: Sendable { case single, multiple }

    let length: Length
    let iterationBehavior: IterationBehavior
    private let start: @Sendable () -> AsyncIterator

    init<Bytes: AsyncSequence & Sendable>(
        _ chunks: Bytes, length: Length, iterationBehavior: IterationBehavior
    )
    where Bytes.Element == ArraySlice<UInt8> {
        self.length = length
        self.iterationBehavior = iterationBehavior
        start = {
            var iterator = chunks.makeAsyncIterator()
            return AsyncIterator { try await iterator.next() }
        }
    }

    func makeAsyncIterator() -> AsyncIterator { start() }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let produce: () async throws -> ArraySlice<UInt8>?
        mutating func next() async throws -> ArraySlice<UInt8>? {
            try await produce()
        }
    }
}

/// The transport of the README.
struct DataTransferTransport: ClientTransport {
    var session: any NetworkSessionManager = DefaultSessionManager.shared

    func send(
        _ request: HTTPRequest, body: HTTPBody?, baseURL: URL,
        operationID: String
    ) async throws -> (
        HTTPResponse, HTTPBody?
    ) {
        var length: Int64? {
            if case .known(let count) = body?.length { count } else { nil }
        }
        let content = body.map {
            NetworkBody.bytes(
                $0, length: length,
                isReplayable: $0.iterationBehavior == .multiple)
        }
        let (response, received) = try await session.send(
            request, body: content, baseURL: baseURL)
        let receivedBody = received.map {
            HTTPBody($0.slices, length: .unknown, iterationBehavior: .single)
        }
        return (response, receivedBody)
    }
}
