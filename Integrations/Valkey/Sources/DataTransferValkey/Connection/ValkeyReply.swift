import CHiredis
import Foundation

/// A reply of the server.
package enum ValkeyReply: Sendable, Equatable {
    case status(String)
    case error(String)
    case integer(Int64)
    case bytes(Data)
    case null
    case array([ValkeyReply])

    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    package var bytes: Data? { if case .bytes(let bytes) = self { bytes } else { nil } }
    var elements: [ValkeyReply]? { if case .array(let elements) = self { elements } else { nil } }

    /// The bytes or the status as a text.
    var text: String? {
        switch self {
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .status(let text): text
        default: nil
        }
    }
}

/// Parses replies with hiredis, which never holds more than a limit of bytes for one of them.
///
/// hiredis reserves memory for the elements of an array when it reads their number, so the number is checked before that.
struct ReplyReader: ~Copyable {
    /// The maximum number of elements of one array.
    static let maximumElements = 65_536

    private let reader: UnsafeMutablePointer<redisReader>
    private let functions: UnsafeMutablePointer<redisReplyObjectFunctions>
    private let maximumBytes: Int
    private var bytes = 0

    init?(maximumBytes: Int) {
        guard let reader = redisReaderCreate() else { return nil }
        guard let defaults = reader.pointee.fn else {
            redisReaderFree(reader)
            return nil
        }
        functions = .allocate(capacity: 1)
        functions.initialize(to: defaults.pointee)
        functions.pointee.createArray = { task, count in
            guard count <= ReplyReader.maximumElements, let create = ReplyReader.createArray else { return nil }
            return create(task, count)
        }
        reader.pointee.fn = functions
        self.reader = reader
        self.maximumBytes = maximumBytes
    }

    deinit {
        redisReaderFree(reader)
        functions.deallocate()
    }

    /// The function of hiredis that creates arrays.
    private static let createArray = {
        guard let reader = redisReaderCreate() else { return nil as redisReplyObjectFunctions? }
        defer { redisReaderFree(reader) }
        return reader.pointee.fn?.pointee
    }()?.createArray

    mutating func add(_ received: UnsafeRawBufferPointer) throws(ValkeyError) {
        bytes += received.count
        guard bytes <= maximumBytes else {
            throw ValkeyError(.protocolViolation, "a reply is larger than \(maximumBytes) bytes")
        }
        let start = received.baseAddress?.assumingMemoryBound(to: CChar.self)
        guard redisReaderFeed(reader, start, received.count) == REDIS_OK else { throw invalid }
    }

    /// Returns the next reply, or `nil` if more bytes are needed.
    mutating func next() throws(ValkeyError) -> ValkeyReply? {
        var reply: UnsafeMutableRawPointer?
        guard redisReaderGetReply(reader, &reply) == REDIS_OK else { throw invalid }
        guard let reply else { return nil }
        defer { freeReplyObject(reply) }
        bytes = 0
        return try Self.value(reply.assumingMemoryBound(to: redisReply.self).pointee)
    }

    /// Whether bytes were received that belong to no reply yet.
    var hasRest: Bool { reader.pointee.pos < reader.pointee.len }

    private var invalid: ValkeyError { ValkeyError(.protocolViolation, "what the server sent is not a valid reply") }

    private static func value(_ reply: redisReply) throws(ValkeyError) -> ValkeyReply {
        switch reply.type {
        case REDIS_REPLY_STRING: return .bytes(data(reply))
        case REDIS_REPLY_STATUS: return .status(String(decoding: data(reply), as: UTF8.self))
        case REDIS_REPLY_ERROR: return .error(String(decoding: data(reply), as: UTF8.self))
        case REDIS_REPLY_INTEGER: return .integer(reply.integer)
        case REDIS_REPLY_NIL: return .null
        case REDIS_REPLY_ARRAY:
            var elements: [ValkeyReply] = []
            for index in 0..<Int(reply.elements) {
                guard let element = reply.element?[index] else {
                    throw ValkeyError(.protocolViolation, "an array in a reply has no element")
                }
                elements.append(try value(element.pointee))
            }
            return .array(elements)
        default: throw ValkeyError(.protocolViolation, "a reply has an unknown type")
        }
    }

    private static func data(_ reply: redisReply) -> Data {
        guard let start = reply.str else { return Data() }
        return Data(bytes: start, count: Int(reply.len))
    }
}
