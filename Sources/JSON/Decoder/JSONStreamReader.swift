import Foundation
import NetworkSupport

/// Scans and decodes values in a JSON text that arrives in pieces.
///
/// Pass what arrives to ``append(_:)``. A value is scanned at the start of the bytes that were not consumed yet, every byte once, and decoded where it
/// lies. The text is UTF-8.
package final class JSONStreamReader: @unchecked Sendable {
    // Unchecked: a reader is part of a parser, which is used by one task at a time.

    /// What a scan has found.
    package enum Step {
        /// A value of this many bytes.
        case complete(Int)
        /// A value that is incomplete.
        case needsMore
        /// A text that is not JSON.
        case failed(ScanFailure)
    }

    private let options: DecodingOptions
    private var owner = SessionOwner()
    private var buffer = StreamBuffer()
    private var isScanning = false
    /// A long number or key, which is read again from its start; `nil` if what comes next is not part of one.
    private var cut: CutToken?
    /// Whether no more bytes will arrive.
    package private(set) var isFinished = false

    /// Creates a reader.
    ///
    /// - Parameter decoder: The decoder whose strategies are used, as they are now. Default: the default ones.
    package init(decoder: TransferJSONDecoder = TransferJSONDecoder()) { options = decoder.options.current }

    deinit { buffer.deallocate() }

    /// Adds bytes that have arrived. They are ignored after ``finish()``.
    package func append(_ data: Data) {
        guard !isFinished else { return }
        data.withUnsafeBytes { buffer.append($0) }
    }

    /// Notes that no more bytes will arrive.
    package func finish() { isFinished = true }

    /// The number of bytes that were not consumed yet.
    package var count: Int { buffer.count }

    /// The position in the stream of the first byte that was not consumed yet.
    package var position: Int { buffer.consumed }

    /// The byte at an offset from the first one that was not consumed yet.
    @inline(__always)
    package subscript(offset: Int) -> UInt8 { buffer.text[offset] }

    /// The offset of the first byte with a value at or after `start`; `nil` if no byte has it.
    package func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        guard start < buffer.count, let found = memchr(buffer.text + start, Int32(byte), buffer.count - start) else { return nil }
        return found.assumingMemoryBound(to: UInt8.self) - buffer.text
    }

    /// The offset of the first byte at or after `start` that is not white space; `end` if all are.
    package func endOfWhiteSpace(from start: Int = 0, to end: Int) -> Int {
        var offset = start
        while offset < end, Bytes.isWhiteSpace(buffer.text[offset]) { offset += 1 }
        return offset
    }

    /// The length of the byte order mark of a text in UTF-8; `nil` if the first four bytes are those of UTF-16 or UTF-32.
    package var markLengthOfUTF8: Int? {
        let encoding = TextEncoding.detect(UnsafeRawBufferPointer(start: buffer.text, count: buffer.count))
        return encoding.foundation == nil ? encoding.markLength : nil
    }

    /// A copy of the first bytes that were not consumed yet.
    package func data(_ count: Int) -> Data { Data(bytes: buffer.text, count: count) }

    /// Removes bytes from the front.
    package func consume(_ count: Int) { buffer.consume(count) }

    /// Scans the value at the start, or goes on with it.
    ///
    /// - Parameters:
    ///   - length: The bytes to scan.
    ///   - isWhole: Whether no more bytes of the value can follow them.
    ///   - depth: The number of arrays and objects that the value is in.
    package func scan(upTo length: Int, isWhole: Bool, depth: Int = 0) -> Step {
        let storage = owner.session.storage
        if !isScanning {
            storage.pointee.scanner.begin()
            storage.pointee.scanner.depthLimit = Scanner.maximumDepth - depth
            isScanning = true
            cut = nil
        } else if !isWhole, cut?.canEnd(in: UnsafeBufferPointer(start: buffer.text, count: length)) == false {
            return .needsMore
        }
        switch run(length, isLast: isWhole) {
        case .complete:
            isScanning = false
            return .complete(storage.pointee.scanner.end)
        case .needsMore:
            let count = storage.pointee.scanner.cutBytes(length)
            cut = CutToken(UnsafeBufferPointer(start: buffer.text, count: length), count: count)
            return .needsMore
        case .failed:
            isScanning = false
            return .failed(storage.pointee.scanner.failure!)
        }
    }

    private func run(_ length: Int, isLast: Bool) -> Scanner.Status {
        let text = buffer.text
        // The scanner stops at a zero.
        let next = text[length]
        text[length] = 0
        defer { text[length] = next }
        return owner.session.storage.pointee.scanner.run(text, length: length, isLast: isLast)
    }

    /// Whether the first bytes of a value that is not JSON suffice to know that. The scan begins anew after it.
    package func fails(within length: Int) -> Bool {
        isScanning = false
        owner.session.storage.pointee.scanner.begin()
        return run(length, isLast: false) == .failed
    }

    /// Consumes what was scanned of an incomplete value. The scan can go on to the value's end, but the value cannot be decoded then.
    package func discardScanned() {
        let count = owner.session.storage.pointee.scanner.discard()
        buffer.consume(count)
        cut?.move(by: count)
    }

    /// The string that was scanned last, which is at the start.
    package func scannedString() -> String {
        let session = owner.session
        session.use(UnsafePointer(buffer.text), count: buffer.count)
        return session.string(session.tape[Scanner.root])
    }

    /// Decodes the value that was scanned last, which is at the start.
    ///
    /// - Throws: `DecodingError`, or what an `init(from:)` throws.
    package func decodeScanned<T: Decodable>(_ type: T.Type, length: Int) throws -> T {
        let session = owner.session
        session.storage.pointee.options = options
        defer {
            if !DecodingSession.release(&owner) { owner = SessionOwner() }
        }
        session.use(UnsafePointer(buffer.text), count: length)
        return try session.decode { try session.decode(type, Scanner.root, 0, DecodingPlace(index: Scanner.root, depth: 0)) }
    }

    /// Scans and decodes a document that is at the start.
    ///
    /// - Throws: `DecodingError`, or what an `init(from:)` throws.
    package func decode<T: Decodable>(_ type: T.Type, length: Int) throws -> T {
        let session = owner.session
        let text = buffer.text
        let next = text[length]
        text[length] = 0
        defer { text[length] = next }
        guard session.storage.pointee.scanner.scan(text, length: length) else {
            session.use(UnsafePointer(text), count: length)
            throw session.notJSON(session.storage.pointee.scanner.failure!)
        }
        return try decodeScanned(type, length: length)
    }
}

/// A number or a key whose end has not arrived. It is read from its start, so it is read again only when its end, or an error, may have
/// arrived, or its length has doubled: all the reading takes linear time.
private struct CutToken {
    /// A shorter token is read again with each piece.
    private static let shortest = 64

    private enum Place { case number, key, escape, afterKey }

    private var place: Place
    /// The number of bytes of the text that were searched for the end.
    private var searched: Int
    /// The number of bytes of the text with which the token is read again in any case.
    private var limit: Int

    /// - Parameter count: The length of the token, which is at the end of the text.
    init?(_ text: UnsafeBufferPointer<UInt8>, count: Int) {
        guard count >= Self.shortest else { return nil }
        let token = text[(text.count - count)...].drop(while: Bytes.isWhiteSpace)
        place = token.first == UInt8(ascii: "\"") ? .key : .number
        searched = text.count
        limit = text.count + count
        for byte in token.dropFirst() { _ = canEnd(at: byte) }
    }

    /// Whether the token has to be read again after bytes were added to the text.
    mutating func canEnd(in text: UnsafeBufferPointer<UInt8>) -> Bool {
        if text.count >= limit { return true }
        defer { searched = text.count }
        for byte in text[searched...] where canEnd(at: byte) { return true }
        return false
    }

    private mutating func canEnd(at byte: UInt8) -> Bool {
        switch place {
        // A number has few bytes besides digits.
        case .number: return byte &- UInt8(ascii: "0") >= 10
        case .afterKey: return !Bytes.isWhiteSpace(byte)
        case .escape: place = .key
        case .key where byte == UInt8(ascii: "\\"): place = .escape
        case .key where byte == UInt8(ascii: "\""):
            place = .afterKey
            return true
        case .key: break
        }
        return byte < 0x20
    }

    /// Notes that bytes were removed from the front of the text.
    mutating func move(by count: Int) {
        searched -= count
        limit -= count
    }
}
