/// Reads a UTF-8 JSON text once, front to back, and refuses whatever RFC 8259 does.
///
/// It never reads at or past `end`, holds no references, and allocates nothing: its only memory is the bit stack.
struct JSONScanner {
    typealias Position = UnsafePointer<UInt8>

    var position: Position
    let end: Position
    var containers = JSONContainerStack()

    /// - Parameters:
    ///   - start: Where the text starts, after a byte order mark. The bytes up to `end` stay readable while this is used.
    init(from start: Position, to end: Position) {
        self.position = start
        self.end = end
    }

    /// Passes over the value that starts here, after whitespace, with all it holds.
    mutating func skipValue() throws(JSONFlaw) {
        try skip(untilDepth: containers.depth, startingAtValue: true)
    }

    /// The loop over all values: a value, then commas and closing brackets until the next value or the given depth.
    mutating func skip(untilDepth floor: Int, startingAtValue: Bool) throws(JSONFlaw) {
        // Locals, so that they stay in registers.
        let end = end
        var position = position
        var containers = containers
        var isAtValue = startingAtValue
        next: while true {
            if isAtValue {
                Self.skipWhitespace(&position, end)
                guard position < end else { throw JSONFlaw(.unexpectedEnd, position) }
                let byte = position.pointee
                switch byte {
                case UInt8(ascii: "\""):
                    position += 1
                    _ = try Self.skipString(&position, end)
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    guard containers.depth < JSONContainerStack.limit else { throw JSONFlaw(.tooDeep, position) }
                    let isObject = byte == UInt8(ascii: "{")
                    containers.push(isObject: isObject)
                    position += 1
                    Self.skipWhitespace(&position, end)
                    guard position < end else { throw JSONFlaw(.unexpectedEnd, position) }
                    // In ASCII each closing bracket comes two after the opening one.
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
                default: throw JSONFlaw(.noValue, position)
                }
            }
            isAtValue = true
            while containers.depth > floor {
                Self.skipWhitespace(&position, end)
                guard position < end else { throw JSONFlaw(.unexpectedEnd, position) }
                let byte = position.pointee
                if byte == UInt8(ascii: ",") {
                    position += 1
                    if containers.isObject { try Self.skipMemberName(&position, end) }
                    continue next
                }
                guard byte == (containers.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                    throw JSONFlaw(.noSeparator, position)
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
    /// RFC 8259 §2: space, tab, line feed, carriage return.
    @inline(__always)
    static func skipWhitespace(_ position: inout Position, _ end: Position) {
        while position < end, position.pointee <= 0x20 {
            switch position.pointee {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    /// The name of a member with its colon (RFC 8259 §4).
    @inline(__always)
    static func skipMemberName(_ position: inout Position, _ end: Position) throws(JSONFlaw) {
        skipWhitespace(&position, end)
        _ = try skipName(&position, end)
        try skipColon(&position, end)
    }

    @inline(__always)
    static func skipName(_ position: inout Position, _ end: Position) throws(JSONFlaw) -> StringTraits {
        guard position < end else { throw JSONFlaw(.unexpectedEnd, position) }
        guard position.pointee == UInt8(ascii: "\"") else { throw JSONFlaw(.noName, position) }
        position += 1
        return try skipString(&position, end)
    }

    @inline(__always)
    static func skipColon(_ position: inout Position, _ end: Position) throws(JSONFlaw) {
        skipWhitespace(&position, end)
        guard position < end else { throw JSONFlaw(.unexpectedEnd, position) }
        guard position.pointee == UInt8(ascii: ":") else { throw JSONFlaw(.noColon, position) }
        position += 1
    }

    /// RFC 8259 §3: the literals are in lower case, and there are no others.
    @inline(__always)
    static func skip(_ literal: StaticString, _ position: inout Position, _ end: Position) throws(JSONFlaw) {
        let expected = literal.utf8Start
        for offset in 0..<literal.utf8CodeUnitCount {
            guard position + offset < end else { throw JSONFlaw(.unexpectedEnd, end) }
            guard position[offset] == expected[offset] else { throw JSONFlaw(.noValue, position) }
        }
        position += literal.utf8CodeUnitCount
    }
}
