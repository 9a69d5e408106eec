import NetworkTransport
import Endpoints
import NetworkSupport

/// Checks the field lines of one section, head or trailers (RFC 9112 §5).
struct HTTP1FieldLines: Sendable {
    /// A field line, split into name and value.
    struct Line {
        /// Empty if the line continues the previous one (RFC 9112 §5.2).
        let name: UnsafeRawBufferPointer
        /// The value without surrounding white space.
        let value: UnsafeRawBufferPointer
    }

    /// The maximum number of lines.
    let maximum: Int
    /// The number of lines that were checked so far.
    private(set) var count = 0

    init(maximum: Int) {
        self.maximum = maximum
    }

    /// Checks a field line and splits it.
    ///
    /// - Parameter line: Not empty, and without its line end.
    @inline(__always)
    mutating func check(_ line: UnsafeRawBufferPointer) throws(HTTP1Error) -> Line {
        count &+= 1
        guard count <= maximum else { throw .tooManyFields(maximum) }
        var colon = 0
        while colon < line.count, line[colon].isTokenByte { colon &+= 1 }
        if colon == 0 {
            guard line[0].isSpaceOrTab else { throw nameError(line) }
            // Go also accepts folded lines, but not as the first line, which crashes libcurl before 8.1.2.
            if count == 1 { throw .malformed("the first field line begins with white space, as if it continued another") }
        } else if colon == line.count || line[colon] != UInt8(ascii: ":") {
            // RFC 9112 §5.1: the colon follows the name directly. With a space between them, one recipient may use the field for
            // framing and another may not. hyper also rejects names that are not tokens, and lines without a colon; so does Go,
            // which however accepts spaces in a name.
            throw nameError(line)
        }
        let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
        let value = HTTP1Bytes.trimmed(line, from: colon == 0 ? 0 : colon &+ 1)
        // RFC 9110 §5.5: NUL, bare CR and the other control characters are dangerous. Go and hyper reject them, OkHttp does not.
        if HTTP1Bytes.holdControl(value) { throw controlError(name) }
        return Line(name: name, value: value)
    }

    private func controlError(_ name: UnsafeRawBufferPointer) -> HTTP1Error {
        if name.isEmpty { return .malformed("field line \(count), which continues the previous one, has a control character") }
        return .malformed("the field \(HTTP1Bytes.shown(name)) has a control character")
    }

    private func nameError(_ line: UnsafeRawBufferPointer) -> HTTP1Error {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return .malformed("field line \(count) has no colon") }
        if colon == 0 { return .malformed("field line \(count) has no name") }
        return .malformed("the field name \(HTTP1Bytes.shown(UnsafeRawBufferPointer(rebasing: line[..<colon]))) is not a token")
    }
}
