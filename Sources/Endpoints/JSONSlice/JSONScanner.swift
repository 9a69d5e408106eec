/// A validating scanner that reads a UTF-8 JSON text once, front to back, and rejects whatever RFC 8259 does not allow.
///
/// It never reads at or past `end`, holds no references, and does not allocate memory; the open containers are a bit stack.
struct JSONScanner {
    typealias Position = UnsafePointer<UInt8>

    var position: Position
    let end: Position
    var containers = JSONContainerStack()

    /// - Parameters:
    ///   - start: Where the text starts, after a byte order mark. The bytes up to `end` must stay readable while the
    ///     scanner is used.
    init(from start: Position, to end: Position) {
        self.position = start
        self.end = end
    }

    /// Skips whitespace and the value that follows it, including all nested values.
    mutating func skipValue() throws(JSONSyntaxError) {
        try skip(untilDepth: containers.depth, startingAtValue: true)
    }

    /// Skips values until the depth of open containers is `floor`: a value, then commas and closing brackets until the
    /// next value.
    mutating func skip(untilDepth floor: Int, startingAtValue: Bool) throws(JSONSyntaxError) {
        // Local copies stay in registers.
        let end = end
        var position = position
        var containers = containers
        var isAtValue = startingAtValue
        next: while true {
            if isAtValue {
                Self.skipWhitespace(&position, end)
                guard position < end else { throw JSONSyntaxError(.unexpectedEnd, position) }
                let byte = position.pointee
                switch byte {
                case UInt8(ascii: "\""):
                    position += 1
                    _ = try Self.skipString(&position, end)
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    guard containers.depth < JSONContainerStack.limit else { throw JSONSyntaxError(.tooDeep, position) }
                    let isObject = byte == UInt8(ascii: "{")
                    containers.push(isObject: isObject)
                    position += 1
                    Self.skipWhitespace(&position, end)
                    guard position < end else { throw JSONSyntaxError(.unexpectedEnd, position) }
                    // In ASCII the code of `]` and `}` is that of the opening bracket plus two.
                    if position.pointee != byte &+ 2 {
                        if isObject { try Self.skipMemberName(&position, end) }
                        continue next
                    }
                    position += 1
                    containers.pop()
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    try Self.skipNumber(&position, end)
                case UInt8(ascii: "t"): try Self.skip("true", &position, end)
                case UInt8(ascii: "f"): try Self.skip("false", &position, end)
                case UInt8(ascii: "n"): try Self.skip("null", &position, end)
                default: throw JSONSyntaxError(.noValue, position)
                }
            }
            isAtValue = true
            while containers.depth > floor {
                Self.skipWhitespace(&position, end)
                guard position < end else { throw JSONSyntaxError(.unexpectedEnd, position) }
                let byte = position.pointee
                if byte == UInt8(ascii: ",") {
                    position += 1
                    if containers.isObject { try Self.skipMemberName(&position, end) }
                    continue next
                }
                guard byte == (containers.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                    throw JSONSyntaxError(.noSeparator, position)
                }
                position += 1
                containers.pop()
            }
            self.position = position
            self.containers = containers
            return
        }
    }
}

extension JSONScanner {
    /// Skips spaces, tabs, line feeds and carriage returns (RFC 8259 §2).
    @inline(__always)
    static func skipWhitespace(_ position: inout Position, _ end: Position) {
        while position < end, position.pointee <= 0x20 {
            switch position.pointee {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    /// Skips the name of a member and its colon (RFC 8259 §4).
    @inline(__always)
    static func skipMemberName(_ position: inout Position, _ end: Position) throws(JSONSyntaxError) {
        skipWhitespace(&position, end)
        _ = try skipName(&position, end)
        try skipColon(&position, end)
    }

    @inline(__always)
    static func skipName(_ position: inout Position, _ end: Position) throws(JSONSyntaxError) -> StringTraits {
        guard position < end else { throw JSONSyntaxError(.unexpectedEnd, position) }
        guard position.pointee == UInt8(ascii: "\"") else { throw JSONSyntaxError(.noName, position) }
        position += 1
        return try skipString(&position, end)
    }

    @inline(__always)
    static func skipColon(_ position: inout Position, _ end: Position) throws(JSONSyntaxError) {
        skipWhitespace(&position, end)
        guard position < end else { throw JSONSyntaxError(.unexpectedEnd, position) }
        guard position.pointee == UInt8(ascii: ":") else { throw JSONSyntaxError(.noColon, position) }
        position += 1
    }

    /// Skips a literal, which is in lower case (RFC 8259 §3).
    @inline(__always)
    static func skip(_ literal: StaticString, _ position: inout Position, _ end: Position) throws(JSONSyntaxError) {
        let expected = literal.utf8Start
        for offset in 0..<literal.utf8CodeUnitCount {
            guard position + offset < end else { throw JSONSyntaxError(.unexpectedEnd, end) }
            guard position[offset] == expected[offset] else { throw JSONSyntaxError(.noValue, position) }
        }
        position += literal.utf8CodeUnitCount
    }
}

extension JSONScanner {
    /// Skips a number, `[ minus ] int [ frac ] [ exp ]` (RFC 8259 §6). Numbers of any magnitude are well-formed.
    @inline(__always)
    static func skipNumber(_ position: inout Position, _ end: Position) throws(JSONSyntaxError) {
        if position.pointee == UInt8(ascii: "-") { position += 1 }
        if position < end, position.pointee == UInt8(ascii: "0") {
            position += 1
            if position < end, isDigit(position.pointee) { throw JSONSyntaxError(.leadingZero, position) }
        } else {
            try skipDigits(&position, end)
        }
        guard position < end else { return }
        if position.pointee == UInt8(ascii: ".") {
            position += 1
            try skipDigits(&position, end)
            guard position < end else { return }
        }
        if position.pointee | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < end, position.pointee == UInt8(ascii: "+") || position.pointee == UInt8(ascii: "-") {
                position += 1
            }
            try skipDigits(&position, end)
        }
    }

    /// Skips a sequence of one or more digits.
    @inline(__always)
    private static func skipDigits(_ position: inout Position, _ end: Position) throws(JSONSyntaxError) {
        guard position < end else { throw JSONSyntaxError(.unexpectedEnd, position) }
        guard isDigit(position.pointee) else { throw JSONSyntaxError(.noDigit, position) }
        repeat { position += 1 } while position < end && isDigit(position.pointee)
    }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }
}

/// A stack of the open containers with one bit for each level, in a fixed 72 bytes.
struct JSONContainerStack {
    /// The maximum number of levels, which is that of JSONDecoder.
    static let limit = 512

    private(set) var depth = 0

    /// The innermost levels, the last one in the lowest bit; a full word is moved to `outer`.
    private var inner: UInt64 = 0
    private var outer = SIMD8<UInt64>()

    var isObject: Bool {
        @inline(__always) get { inner & 1 != 0 }
    }

    /// Opens a container. The caller must have checked that `depth` is below the limit.
    @inline(__always)
    mutating func push(isObject: Bool) {
        if depth & 63 == 0 { outer[(depth &>> 6) & 7] = inner }
        inner = inner &<< 1 | (isObject ? 1 : 0)
        depth &+= 1
    }

    /// Closes the innermost container. At least one must be open.
    @inline(__always)
    mutating func pop() {
        depth &-= 1
        inner = depth & 63 == 0 ? outer[(depth &>> 6) & 7] : inner &>> 1
    }
}

/// A syntax error in a JSON text and its position; small enough to be thrown without a heap allocation.
struct JSONSyntaxError: Error {
    enum Reason: UInt8 {
        case empty, unexpectedEnd, textAfterDocument, tooDeep
        case noValue, noSeparator, noName, noColon
        case noDigit, leadingZero
        case control, badEscape, loneSurrogate, badUTF8
    }

    let reason: Reason

    // An address, because an error has to be Sendable and a pointer is not. It is never dereferenced.
    private let address: UInt

    @inline(__always)
    init(_ reason: Reason, _ position: UnsafePointer<UInt8>) {
        self.reason = reason
        self.address = UInt(bitPattern: position)
    }

    func offset(from start: UnsafePointer<UInt8>) -> Int {
        Int(address - UInt(bitPattern: start))
    }
}

extension JSONSyntaxError.Reason {
    var text: String {
        switch self {
        case .empty: "it is empty"
        case .unexpectedEnd: "it ends too early"
        case .textAfterDocument: "there is text after the value"
        case .tooDeep: "it is nested too deeply"
        case .noValue: "a value is expected"
        case .noSeparator: "a comma or closing bracket is expected"
        case .noName: "a member name in quotes is expected"
        case .noColon: "a colon is expected"
        case .noDigit: "a digit is expected"
        case .leadingZero: "a number has a leading zero"
        case .control: "a control character in a string is not escaped"
        case .badEscape: "an escape sequence is unknown"
        case .loneSurrogate: "a surrogate escape is not paired"
        case .badUTF8: "a string is not UTF-8"
        }
    }
}
