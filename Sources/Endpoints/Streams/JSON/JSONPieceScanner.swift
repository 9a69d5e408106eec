/// A validating scanner of a UTF-8 JSON text that is received in pieces. It rejects whatever RFC 8259 does not allow.
///
/// Each byte is read once. Between pieces, the state is a few words and a stack with one bit for each level.
struct JSONPieceScanner: Sendable {
    typealias Position = UnsafePointer<UInt8>

    /// An event at the current position. Only values and names directly inside the container at ``watchedDepth`` are reported.
    enum Event {
        /// The piece has been read to its end.
        case needsBytes
        /// The position is at the first byte of a value.
        case valueStart
        /// The position is at the first byte after a value.
        case valueEnd
        /// The position is at the first byte of a member's name, after the quote.
        case nameStart
        /// The position is at the first byte after the quote that ends a name.
        case nameEnd
        /// The position is at the first byte after the closing bracket of the watched container.
        case closed
    }

    enum State: UInt8 {
        case value, firstElement, begun
        case name, firstName, colon, separator
        case string, continuation, escape, hex, lowBackslash, lowU
        case minus, zero, integer, point, fraction, exponent, exponentSign, exponentDigits
        case literal
    }

    /// The number of open containers around the values that are reported; 0 for the text's top-level value, -1 for none.
    var watchedDepth = 0
    /// The traits of the name that was reported last.
    private(set) var traits: JSONScanner.StringTraits = []

    private(set) var containers = JSONContainerStack()
    var state = State.value
    private var isName = false
    var hasBegun = false

    /// The rest of a literal, with the next byte lowest; of a scalar, the number of remaining bytes; of an escape, of digits.
    var rest: UInt32 = 0
    /// The values that are allowed for the next byte of a scalar.
    var continuation: ClosedRange<UInt8> = 0x80...0xBF
    var codeUnit: UInt16 = 0
    var needsLowSurrogate = false

    /// Reads until the next event. The bytes up to `end` must follow those of the previous call.
    mutating func scan(_ position: inout Position, _ end: Position) throws(JSONSyntaxError) -> Event {
        while true {
            switch state {
            case .value, .firstElement:
                JSONScanner.skipWhitespace(&position, end)
                guard position < end else { return .needsBytes }
                if state == .firstElement, position.pointee == UInt8(ascii: "]") {
                    if let event = close(&position) { return event }
                    continue
                }
                state = .begun
                hasBegun = true
                if containers.depth == watchedDepth { return .valueStart }
            case .begun:
                guard position < end else { return .needsBytes }
                try begin(&position)
            case .firstName, .name:
                JSONScanner.skipWhitespace(&position, end)
                guard position < end else { return .needsBytes }
                if state == .firstName, position.pointee == UInt8(ascii: "}") {
                    if let event = close(&position) { return event }
                    continue
                }
                guard position.pointee == UInt8(ascii: "\"") else { throw JSONSyntaxError(.noName, position) }
                position += 1
                state = .string
                isName = true
                if containers.depth == watchedDepth {
                    traits = []
                    return .nameStart
                }
            case .colon:
                JSONScanner.skipWhitespace(&position, end)
                guard position < end else { return .needsBytes }
                guard position.pointee == UInt8(ascii: ":") else { throw JSONSyntaxError(.noColon, position) }
                position += 1
                state = .value
            case .separator:
                JSONScanner.skipWhitespace(&position, end)
                guard position < end else { return .needsBytes }
                guard containers.depth > 0 else { throw JSONSyntaxError(.textAfterDocument, position) }
                let byte = position.pointee
                if byte == UInt8(ascii: ",") {
                    position += 1
                    state = containers.isObject ? .name : .value
                } else if byte == (containers.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    if let event = close(&position) { return event }
                } else {
                    throw JSONSyntaxError(.noSeparator, position)
                }
            case .string:
                position = JSONScanner.plainASCIIEnd(position, end)
                guard position < end else { return .needsBytes }
                guard position.pointee == UInt8(ascii: "\"") else {
                    try passSpecial(&position, end)
                    continue
                }
                position += 1
                if isName {
                    isName = false
                    state = .colon
                    if containers.depth == watchedDepth { return .nameEnd }
                } else {
                    state = .separator
                    if containers.depth == watchedDepth { return .valueEnd }
                }
            case .minus, .zero, .integer, .point, .fraction, .exponent, .exponentSign, .exponentDigits:
                guard try passNumber(&position, end) else { return .needsBytes }
                state = .separator
                if containers.depth == watchedDepth { return .valueEnd }
            case .literal:
                guard try passLiteral(&position, end) else { return .needsBytes }
                state = .separator
                if containers.depth == watchedDepth { return .valueEnd }
            case .continuation, .escape, .hex, .lowBackslash, .lowU:
                guard position < end else { return .needsBytes }
                try passCutSpecial(&position)
            }
        }
    }

    /// The syntax error if the text ends here; `nil` for a complete text.
    var errorAtEnd: JSONSyntaxError.Reason? {
        guard containers.depth == 0 else { return .unexpectedEnd }
        return switch state {
        case .separator, .zero, .integer, .fraction, .exponentDigits: nil
        case .value where !hasBegun: .empty
        default: .unexpectedEnd
        }
    }

    /// Reads the first byte of a value.
    @inline(__always)
    private mutating func begin(_ position: inout Position) throws(JSONSyntaxError) {
        let byte = position.pointee
        switch byte {
        case UInt8(ascii: "\""): state = .string
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard containers.depth < JSONContainerStack.limit else { throw JSONSyntaxError(.tooDeep, position) }
            containers.push(isObject: byte == UInt8(ascii: "{"))
            state = byte == UInt8(ascii: "{") ? .firstName : .firstElement
        case UInt8(ascii: "-"): state = .minus
        case UInt8(ascii: "0"): state = .zero
        case UInt8(ascii: "1")...UInt8(ascii: "9"): state = .integer
        case UInt8(ascii: "t"): expect(0x65_7572)
        case UInt8(ascii: "f"): expect(0x6573_6C61)
        case UInt8(ascii: "n"): expect(0x6C_6C75)
        default: throw JSONSyntaxError(.noValue, position)
        }
        position += 1
    }

    /// - Parameter rest: The bytes of the literal after its first one, in reverse order.
    private mutating func expect(_ rest: UInt32) {
        state = .literal
        self.rest = rest
    }

    @inline(__always)
    private mutating func close(_ position: inout Position) -> Event? {
        position += 1
        let isWatched = containers.depth == watchedDepth
        containers.pop()
        state = .separator
        if isWatched { return .closed }
        return containers.depth == watchedDepth ? .valueEnd : nil
    }

    mutating func note(_ trait: JSONScanner.StringTraits) {
        traits.insert(trait)
    }
}
