import DataTransferOpenAPI
import Foundation
import HTTPTypes

extension HTTPRequest {
    static func make(_ method: Method, _ path: String, _ fields: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(method: method, scheme: nil, authority: nil, path: path, headerFields: fields)
    }
}

extension URL {
    static func make(_ text: String) -> URL { URL(string: text) ?? URL(fileURLWithPath: "/") }
}

extension HTTPBody {
    func bytes() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in self { bytes += chunk }
        return bytes
    }

    /// A body of chunks with the same number of bytes.
    static func chunks(
        _ count: Int, bytes: Int, length: Length, _ behavior: IterationBehavior, onChunk: @escaping @Sendable () -> Void = {}
    ) -> HTTPBody {
        HTTPBody(
            Chunks(count: count, bytes: bytes, onChunk: onChunk), length: length, iterationBehavior: behavior)
    }
}

/// Chunks that are produced when they are requested, from the beginning for each iterator.
struct Chunks: AsyncSequence, Sendable {
    typealias Element = ArraySlice<UInt8>
    let count: Int
    let bytes: Int
    let onChunk: @Sendable () -> Void

    func makeAsyncIterator() -> Iterator { Iterator(left: count, bytes: bytes, onChunk: onChunk) }

    struct Iterator: AsyncIteratorProtocol {
        var left: Int
        let bytes: Int
        let onChunk: @Sendable () -> Void

        mutating func next() async throws -> ArraySlice<UInt8>? {
            guard left > 0 else { return nil }
            left -= 1
            onChunk()
            return ArraySlice(repeating: UInt8(truncatingIfNeeded: left), count: bytes)
        }
    }
}

/// Records the names of the endpoints of the requests that pass.
actor Recorder: NetworkInterceptor {
    private(set) var values: [String?] = []

    func intercept(_ request: consuming NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        values.append(request.endpointName)
        return try await next(request)
    }
}

/// A number that several threads change.
// `@unchecked Sendable`: the lock guards the number.
final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0

    var value: Int { lock.withLock { count } }
    func add() { lock.withLock { count += 1 } }
}
