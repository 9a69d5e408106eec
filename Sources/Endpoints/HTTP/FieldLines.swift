import NetworkSupport

/// The field lines of a received message, as bytes (RFC 9112 §5). They were checked before.
///
/// Reading never fails: lines that are not field lines are ignored, and bytes that are not UTF-8 are read as ISO-8859-1 (RFC 9110 §5.5).
package struct FieldLines: Sendable {
    private let bytes: [UInt8]
    private let range: Range<Int>
    /// Whether the first line is a status line.
    private let skipsFirst: Bool

    /// Creates field lines.
    ///
    /// - Parameters:
    ///   - bytes: The message, or a part of it.
    ///   - range: The lines.
    ///   - skipsFirst: Whether the first of them is a status line.
    package init(_ bytes: [UInt8], in range: Range<Int>, skippingFirst skipsFirst: Bool = false) {
        self.bytes = bytes
        self.range = range
        self.skipsFirst = skipsFirst
    }

    /// All fields.
    package var fields: [HeaderFields.Field] {
        var fields: [HeaderFields.Field] = []
        fields.reserveCapacity(12)
        forEachLine { Self.append($0, to: &fields) }
        return fields
    }

    /// The fields with a name, compared without case. The others are not parsed.
    package func fields(named name: String) -> [HeaderFields.Field] {
        var name = name
        return name.withUTF8 { fields(named: $0) }
    }

    /// Returns the value of one field without parsing the others. Several lines are joined with `", "`.
    ///
    /// - Parameter name: The field name in any case.
    package func value(for name: StaticString) -> String? {
        let fields = fields(named: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        return fields.isEmpty ? nil : fields.map(\.value).joined(separator: ", ")
    }

    private func fields(named name: UnsafeBufferPointer<UInt8>) -> [HeaderFields.Field] {
        var fields: [HeaderFields.Field] = []
        var isWanted = false
        forEachLine { line in
            if let first = line.first, !first.isSpaceOrTab {
                // What is no field line is skipped.
                isWanted = Self.isNamed(name, line) || isWanted && !Self.isField(line)
            }
            if isWanted { Self.append(line, to: &fields) }
        }
        return fields
    }

    @inline(__always)
    private static func isNamed(_ name: UnsafeBufferPointer<UInt8>, _ line: UnsafeRawBufferPointer) -> Bool {
        let count = name.count
        guard count > 0, line.count > count else { return false }
        var index = 0
        while index < count {
            if HeaderFields.lowercased(line[index]) != HeaderFields.lowercased(name[index]) { return false }
            index &+= 1
        }
        while index < line.count, isOuterSpace(line[index]) { index &+= 1 }
        return index < line.count && line[index] == UInt8(ascii: ":")
    }

    private static func isField(_ line: UnsafeRawBufferPointer) -> Bool {
        line.firstIndex(of: UInt8(ascii: ":")).map { $0 > 0 } ?? false
    }

    /// Calls `body` with each line, without its line feed.
    @inline(__always)
    private func forEachLine(_ body: (UnsafeRawBufferPointer) -> Void) {
        bytes.withUnsafeBytes { bytes in
            let bytes = UnsafeRawBufferPointer(rebasing: bytes[range])
            var start = 0
            var skips = skipsFirst
            while start < bytes.count {
                let end = HTTP1Bytes.lineFeed(in: bytes, from: start) ?? bytes.count
                if !skips { body(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) }
                skips = false
                start = end + 1
            }
        }
    }

    private static func append(_ line: UnsafeRawBufferPointer, to fields: inout [HeaderFields.Field]) {
        guard let first = line.first else { return }
        if first.isSpaceOrTab {
            // A folded line continues the one before (RFC 9112 §5.2).
            guard let last = fields.indices.last else { return }
            let more = text(line, 0, line.count)
            if !more.text.isEmpty { fields[last].value += fields[last].value.isEmpty ? more.text : " " + more.text }
            if more.isLatin1 { fields[last].isLatin1 = true }
            return
        }
        var colon = 0
        while colon < line.count, line[colon] != UInt8(ascii: ":") { colon &+= 1 }
        guard colon > 0, colon < line.count else { return }
        let value = text(line, colon + 1, line.count)
        var field = HeaderFields.Field(name: text(line, 0, colon).text, value: value.text)
        if value.isLatin1 { field.isLatin1 = true }
        fields.append(field)
    }

    /// Returns the bytes as text, without surrounding white space, and whether they are ISO-8859-1.
    private static func text(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> (text: String, isLatin1: Bool) {
        var start = start
        var end = end
        while start < end, isOuterSpace(bytes[start]) { start &+= 1 }
        while start < end, isOuterSpace(bytes[end &- 1]) { end &-= 1 }
        let trimmed = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        // Nearly all fields are ASCII, and validating UTF-8 takes several times as long.
        if isASCII(trimmed) { return (String(decoding: trimmed, as: UTF8.self), false) }
        let field = HeaderFields.Field(name: "", received: trimmed)
        return (field.value, field.isLatin1)
    }

    private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var union: UInt8 = 0
        for index in 0..<bytes.count { union |= bytes[index] }
        return union < 0x80
    }

    /// Whether the byte is white space or the carriage return of the line end.
    private static func isOuterSpace(_ byte: UInt8) -> Bool {
        byte.isSpaceOrTab || byte == UInt8.carriageReturn
    }
}

/// Field lines that are parsed when all of them are asked for, at most once: most programs read one or two fields of a response.
struct LazyFields {
    private enum State {
        case lines(FieldLines)
        case fields([HeaderFields.Field])
    }

    /// One allocation, which copies share.
    private let state: Locked<State>

    init(_ lines: FieldLines) {
        state = Locked(.lines(lines))
    }

    var fields: [HeaderFields.Field] {
        state.withLock { state in
            switch state {
            case .fields(let fields): return fields
            case .lines(let lines):
                let fields = lines.fields
                state = .fields(fields)
                return fields
            }
        }
    }

    /// The fields with a name. The others are not parsed for it.
    func fields(named name: String) -> [HeaderFields.Field] {
        state.withLock { state in
            switch state {
            case .fields(let fields): fields.filter { HeaderFields.isSame($0.name, name) }
            case .lines(let lines): lines.fields(named: name)
            }
        }
    }
}
