import Endpoints

/// Checks the field lines of one section, head or trailers, one after another (RFC 9112 §5).
struct HTTP1FieldLines: Sendable {
    /// A line, apart.
    struct Line {
        /// Empty where the line continues the one before (RFC 9112 §5.2).
        let name: UnsafeRawBufferPointer
        /// Without white space around it.
        let value: UnsafeRawBufferPointer
    }

    /// Lines so far.
    private(set) var count = 0

    /// - Parameter line: Without its line end, and not empty.
    @inline(__always)
    mutating func check(_ line: UnsafeRawBufferPointer) throws(HTTP1Flaw) -> Line {
        count &+= 1
        var colon = 0
        while colon < line.count, HTTP1Bytes.isToken(line[colon]) { colon &+= 1 }
        if colon == 0 {
            guard HTTP1Bytes.isSpace(line[0]) else { throw nameFlaw(line) }
            // Go takes folded lines, too, but not as the first one, which brings libcurl down before 8.1.2.
            if count == 1 { throw .malformed("the first field line begins with white space, as if it continued another") }
        } else if colon == line.count || line[colon] != UInt8(ascii: ":") {
            // RFC 9112 §5.1: the colon is directly behind the name. With a space between them, one reader takes the field for framing
            // and another does not. Names that are no tokens, and lines without a colon, are refused by hyper and, but for spaces in a
            // name, by Go.
            throw nameFlaw(line)
        }
        let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
        let value = HTTP1Bytes.trimmed(line, from: colon == 0 ? 0 : colon &+ 1)
        // RFC 9110 §5.5: NUL, bare CR and the other control characters are dangerous. Go and hyper refuse them, OkHttp does not.
        if HTTP1Bytes.holdControl(value) { throw controlFlaw(name) }
        return Line(name: name, value: value)
    }

    private func controlFlaw(_ name: UnsafeRawBufferPointer) -> HTTP1Flaw {
        if name.isEmpty { return .malformed("field line \(count), which continues the one before, has a control character") }
        return .malformed("the field \(HTTP1Bytes.shown(name)) has a control character")
    }

    private func nameFlaw(_ line: UnsafeRawBufferPointer) -> HTTP1Flaw {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return .malformed("field line \(count) has no colon") }
        if colon == 0 { return .malformed("field line \(count) has no name") }
        return .malformed("the field name \(HTTP1Bytes.shown(UnsafeRawBufferPointer(rebasing: line[..<colon]))) is not a token")
    }
}
