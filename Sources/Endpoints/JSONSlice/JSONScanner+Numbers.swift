extension JSONScanner {
    /// RFC 8259 §6: `[ minus ] int [ frac ] [ exp ]`. Any magnitude is well-formed; the type it is decoded to decides.
    @inline(__always)
    static func skipNumber(_ position: inout Position, _ end: Position) throws(JSONFlaw) {
        if position.pointee == UInt8(ascii: "-") { position += 1 }
        if position < end, position.pointee == UInt8(ascii: "0") {
            position += 1
            if position < end, isDigit(position.pointee) { throw JSONFlaw(.leadingZero, position) }
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

    /// At least one digit.
    @inline(__always)
    private static func skipDigits(_ position: inout Position, _ end: Position) throws(JSONFlaw) {
        guard position < end else { throw JSONFlaw(.unexpectedEnd, position) }
        guard isDigit(position.pointee) else { throw JSONFlaw(.noDigit, position) }
        repeat { position += 1 } while position < end && isDigit(position.pointee)
    }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }
}
