import Foundation
import NetworkSupport

/// The state of one `decode` call: the text, the tape, and memory that later calls reuse.
///
/// A session belongs to one thread and one call at a time (``SessionPool``), so it needs no lock. This struct is a plain pointer, so that copying it does
/// not count references; ``SessionOwner`` owns the memory. Decoders and containers refer to the owner. If one of them outlives the call, the
/// session copies the text and is not reused.
struct DecodingSession {
    struct Storage {
        var scanner = Scanner()
        var text: Bytes.Pointer
        var tape: UnsafeMutablePointer<TapeEntry>
        var frames: UnsafeMutablePointer<CodingFrame>
        var length = 0
        var types = TypeTable()
        var containers = BoxPool<KeyedState>()
        #if _pointerBitWidth(_64)
            var knowsStringLayout = StringLayout.isKnown
        #endif
        unowned(unsafe) var owner: SessionOwner
        /// Not retained: the call retains them, so that concurrent calls do not contend for the reference count of one object.
        unowned(unsafe) var options: DecodingOptions
        /// The options, retained if a decoder or container outlives the call.
        var keptOptions: DecodingOptions?
        var duplicates = DuplicateKeyFinder()
        /// The paths of super decoders without a value. The depth of such a decoder is ``missingDepth`` plus the index of its path.
        var missingPaths: [[any CodingKey]] = []
        var convertedKeys = ConvertedKeys()
        /// The position of the previous error, from which lines are counted.
        var lastLocation = (offset: 0, line: 1, lineStart: 0)
        /// The text as it was received, if it was converted.
        var source: ConvertedText?
        /// What errors of this call have in common.
        var errorParts = ErrorParts()
        var bounds = StackBounds()
        /// Whether the stack had no room for a container in this call.
        var hasNoRoom = false
        var buffer: UnsafeMutablePointer<UInt8>
        var bufferCapacity = 4096
        /// Whether errors share what they have in common. Not if a decoder or container has outlived its call, as no end releases it then.
        var sharesErrorParts: Bool { keptOptions == nil }
        /// The number of consecutive calls that needed much less memory than is allocated.
        var quietCalls = 0
    }

    let storage: UnsafeMutablePointer<Storage>

    static let missingDepth = 1 << 16

    /// An idle session keeps memory up to the first limit, in bytes, and never more than the second.
    private static let smallMemory = 256 << 10
    private static let largeMemory = 32 << 20

    @inline(__always) var text: Bytes.Pointer { storage.pointee.text }
    @inline(__always) var tape: UnsafeMutablePointer<TapeEntry> { storage.pointee.tape }
    @inline(__always) var frames: UnsafeMutablePointer<CodingFrame> { storage.pointee.frames }
    @inline(__always) var length: Int { storage.pointee.length }
    @inline(__always) var owner: SessionOwner { storage.pointee.owner }
    var options: DecodingOptions { storage.pointee.options }

    /// Scans a text: in place if it has padding, else a copy in the session's buffer. It must not move or change during the call.
    func load(_ text: PaddedBytes.Slice) throws(ScanFailure) {
        let bytes = text.bytes
        if options.convertsText { return try loadConverted(bytes) }
        if text.isPadded, let start = bytes.baseAddress {
            return try load(padded: start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
        }
        try load(padded: copy(bytes), count: bytes.count)
    }

    /// Copies a text into the session's buffer, with padding.
    private func copy(_ bytes: UnsafeRawBufferPointer) -> Bytes.Pointer {
        reserve(bytes.count)
        let buffer = storage.pointee.buffer
        if let start = bytes.baseAddress { UnsafeMutableRawPointer(buffer).copyMemory(from: start, byteCount: bytes.count) }
        UnsafeMutableRawPointer(buffer + bytes.count).initializeMemory(as: UInt8.self, repeating: 0, count: PaddedBytes.padding)
        return UnsafePointer(buffer)
    }

    /// Converts a text that is JSON5, or may be an object without braces, and scans the result.
    @inline(never)
    private func loadConverted(_ bytes: UnsafeRawBufferPointer) throws(ScanFailure) {
        let original = [UInt8](bytes) + [UInt8](repeating: 0, count: PaddedBytes.padding)
        do throws(ScanFailure) {
            let assumesObject = options.assumesTopLevelDictionary
            let converter = try original.withUnsafeBufferPointer { (text) throws(ScanFailure) -> JSON5Converter in
                var converter = JSON5Converter(text.baseAddress!, count: bytes.count)
                try converter.convert(assumesObject: assumesObject)
                return converter
            }
            let converted = ConvertedText(original, converter.offsets)
            do throws(ScanFailure) {
                try load(padded: converter.out.withUnsafeBytes { copy($0) }, count: converter.out.count)
            } catch {
                throw ScanFailure(reason: error.reason, offset: converted.offset(of: error.offset))
            }
            storage.pointee.source = converted
        } catch {
            // For the error's place and excerpt.
            use(copy(bytes), count: bytes.count)
            throw error
        }
    }

    /// Scans bytes in place. They are followed by ``NetworkSupport/PaddedBytes/padding`` zeros, and must not move or change during the call.
    private func load(padded start: Bytes.Pointer, count: Int) throws(ScanFailure) {
        storage.pointee.text = start
        storage.pointee.length = count
        storage.pointee.lastLocation = (0, 1, 0)
        storage.pointee.errorParts.endDocument()
        let isJSON = storage.pointee.scanner.scan(start, length: count)
        storage.pointee.tape = storage.pointee.scanner.tape
        if !isJSON { throw storage.pointee.scanner.failure! }
    }

    /// Uses a text that the scanner has scanned already.
    func use(_ start: Bytes.Pointer, count: Int) {
        if !storage.pointee.missingPaths.isEmpty { storage.pointee.missingPaths.removeAll() }
        storage.pointee.text = start
        storage.pointee.length = count
        storage.pointee.lastLocation = (0, 1, 0)
        storage.pointee.errorParts.endDocument()
        storage.pointee.tape = storage.pointee.scanner.tape
    }

    private func reserve(_ count: Int) {
        guard count + PaddedBytes.padding > storage.pointee.bufferCapacity else { return }
        storage.pointee.buffer.deallocate()
        storage.pointee.bufferCapacity = count + PaddedBytes.padding
        storage.pointee.buffer = .allocate(capacity: count + PaddedBytes.padding)
    }

    /// Copies the caller's text and retains the options, for a decoder or container that outlives the call.
    func keepText() {
        storage.pointee.keptOptions = options
        guard text != UnsafePointer(storage.pointee.buffer) else { return }
        let source = text
        reserve(length)
        UnsafeMutableRawPointer(storage.pointee.buffer).copyMemory(from: source, byteCount: length + PaddedBytes.padding)
        storage.pointee.text = UnsafePointer(storage.pointee.buffer)
    }

    /// Ends a call. Frees memory that only a large document needs.
    func reset() {
        storage.pointee.options = SessionOwner.noOptions
        if !storage.pointee.missingPaths.isEmpty { storage.pointee.missingPaths.removeAll() }
        if storage.pointee.source != nil { storage.pointee.source = nil }
        let bytes = storage.pointee.bufferCapacity + storage.pointee.scanner.capacity * MemoryLayout<TapeEntry>.stride
        if bytes > Self.smallMemory { trim(bytes) }
        storage.pointee.text = UnsafePointer(storage.pointee.buffer)
    }

    /// Frees the memory of a large document, unless recent calls needed it: after 16 calls that did not, and at once above 32 MiB.
    @inline(never)
    private func trim(_ bytes: Int) {
        let isUsed = length + storage.pointee.scanner.count * MemoryLayout<TapeEntry>.stride > bytes / 8
        storage.pointee.quietCalls = isUsed ? 0 : storage.pointee.quietCalls + 1
        guard bytes > Self.largeMemory || storage.pointee.quietCalls > 16 else { return }
        storage.pointee.quietCalls = 0
        storage.pointee.scanner.trim(to: 256)
        storage.pointee.tape = storage.pointee.scanner.tape
        storage.pointee.buffer.deallocate()
        storage.pointee.bufferCapacity = 4096
        storage.pointee.buffer = .allocate(capacity: 4096)
    }

    /// Throws an error for a container whose values have no room on the thread's stack.
    @inline(__always)
    func checkStack() throws {
        if !storage.pointee.bounds.hasRoom() { throw hasNoRoom() }
    }

    @inline(never)
    func hasNoRoom() -> DecodingError {
        storage.pointee.hasNoRoom = true
        return .dataCorrupted(.init(codingPath: [], debugDescription: "The document \(NestingError.stack.text)."))
    }

    /// The tape index after the value at `index` and its content.
    @inline(__always)
    func next(_ index: Int) -> Int { TapeEntry.next(tape, index) }
}

/// Owns a session's memory. Decoders and containers retain it.
final class SessionOwner {
    let session: DecodingSession

    static let noOptions = DecodingOptions()

    init() {
        let storage = UnsafeMutablePointer<DecodingSession.Storage>.allocate(capacity: 1)
        session = DecodingSession(storage: storage)
        let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: 4096)
        let scanner = Scanner()
        storage.initialize(
            to: DecodingSession.Storage(
                scanner: scanner, text: UnsafePointer(buffer), tape: scanner.tape,
                frames: .allocate(capacity: Scanner.maximumDepth + 4),
                owner: self, options: Self.noOptions, buffer: buffer))
    }

    deinit {
        let storage = session.storage
        storage.pointee.scanner.deallocate()
        storage.pointee.buffer.deallocate()
        storage.pointee.frames.deallocate()
        storage.pointee.containers.deallocate()
        storage.pointee.types.deallocate()
        storage.pointee.duplicates.deallocate()
        storage.deinitialize(count: 1)
        storage.deallocate()
    }
}
