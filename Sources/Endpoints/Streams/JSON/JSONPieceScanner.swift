/// Reads a UTF-8 JSON text that comes in pieces, and refuses whatever RFC 8259 does.
///
/// Each byte is looked at once. All that is known at a border between pieces fits in a few words, besides the stack of a bit a level.
struct JSONPieceScanner: Sendable {
    typealias Position = UnsafePointer<UInt8>

    /// What stands at the position; told of what is directly inside the container at ``watchedDepth``, and of nothing else.
    enum Event {
        /// The piece is read to its end.
        case needsBytes
        /// The first byte of a value.
        case valueStart
        /// The first byte behind a value.
        case valueEnd
        /// The first byte of a member's name, behind the quote.
        case nameStart
        /// The first byte behind the quote that ends a name.
        case nameEnd
        /// The first byte behind the closing bracket of the watched container itself.
        case closed
    }

    enum State: UInt8 {
        case value, firstElement, begun
        case name, firstName, colon, separator
        case string, continuation, escape, hex, lowBackslash, lowU
        case minus, zero, integer, point, fraction, exponent, exponentSign, exponentDigits
        case literal
    }

    /// How many containers are open around what is told of; 0 for the text's own value, -1 for nothing.
    var watchedDepth = 0
    /// What the name that was told of last holds.
    private(set) var traits: JSONScanner.StringTraits = []

    private(set) var containers = JSONContainerStack()
    var state = State.value
    private var isName = false
    var hasBegun = false

    /// The rest of a literal, the next byte lowest; of a scalar, how many bytes are to come; of an escape, how many digits.
    var rest: UInt32 = 0
    /// What the next byte of a scalar may be.
    var continuation: ClosedRange<UInt8> = 0x80...0xBF
    var codeUnit: UInt16 = 0
    var needsLowSurrogate = false

    /// Reads on until there is something to tell. The bytes up to `end` follow those of the call before.
    mutating func scan(_ position: inout Position, _ end: Position) throws(JSONFlaw) -> Event {
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
                guard position.pointee == UInt8(ascii: "\"") else { throw JSONFlaw(.noName, position) }
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
                guard position.pointee == UInt8(ascii: ":") else { throw JSONFlaw(.noColon, position) }
                position += 1
                state = .value
            case .separator:
                JSONScanner.skipWhitespace(&position, end)
                guard position < end else { return .needsBytes }
                guard containers.depth > 0 else { throw JSONFlaw(.textAfterDocument, position) }
                let byte = position.pointee
                if byte == UInt8(ascii: ",") {
                    position += 1
                    state = containers.isObject ? .name : .value
                } else if byte == (containers.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    if let event = close(&position) { return event }
                } else {
                    throw JSONFlaw(.noSeparator, position)
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

    /// What is missing when nothing follows; `nil` for a whole text.
    var flawAtEnd: JSONFlaw.Reason? {
        guard containers.depth == 0 else { return .unexpectedEnd }
        return switch state {
        case .separator, .zero, .integer, .fraction, .exponentDigits: nil
        case .value where !hasBegun: .empty
        default: .unexpectedEnd
        }
    }

    /// The first byte of a value.
    @inline(__always)
    private mutating func begin(_ position: inout Position) throws(JSONFlaw) {
        let byte = position.pointee
        switch byte {
        case UInt8(ascii: "\""): state = .string
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard containers.depth < JSONContainerStack.limit else { throw JSONFlaw(.tooDeep, position) }
            containers.push(isObject: byte == UInt8(ascii: "{"))
            state = byte == UInt8(ascii: "{") ? .firstName : .firstElement
        case UInt8(ascii: "-"): state = .minus
        case UInt8(ascii: "0"): state = .zero
        case UInt8(ascii: "1")...UInt8(ascii: "9"): state = .integer
        case UInt8(ascii: "t"): expect(0x65_7572)
        case UInt8(ascii: "f"): expect(0x6573_6C61)
        case UInt8(ascii: "n"): expect(0x6C_6C75)
        default: throw JSONFlaw(.noValue, position)
        }
        position += 1
    }

    /// - Parameter rest: What has to follow a literal's first byte, in reverse.
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
