/// What the `Content-Length` lines of a head say together (RFC 9112 §6.3).
///
/// Neither is one of several that differ believed, nor a number that is too large: what follows could be taken for another response.
struct AnnouncedLength: Sendable {
    /// `nil` where there is no line.
    private(set) var value: Int64?
    /// Whether a line is no number, or not that of the one before.
    private(set) var isContradictory = false

    private static let name: StaticString = "content-length"

    /// Takes any line of a head, with its line end.
    mutating func receive(_ line: UnsafeRawBufferPointer) {
        let count = Self.name.utf8CodeUnitCount
        guard line.count > count, line[count] == UInt8(ascii: ":"),
            HTTP1Bytes.isSame(UnsafeRawBufferPointer(rebasing: line[..<count]), Self.name)
        else { return }
        var end = line.count
        if end > count + 1, line[end - 1] == HTTP1Bytes.lineFeed { end -= 1 }
        if end > count + 1, line[end - 1] == HTTP1Bytes.carriageReturn { end -= 1 }
        receive(value: UnsafeRawBufferPointer(rebasing: line[(count + 1)..<end]))
    }

    /// Takes the value of a line. Proxies fold equal lines into one, so it may be a list.
    mutating func receive(value list: UnsafeRawBufferPointer) {
        var index = 0
        repeat {
            var end = index
            while end < list.count, list[end] != UInt8(ascii: ",") { end &+= 1 }
            let digits = HTTP1Bytes.trimmed(UnsafeRawBufferPointer(rebasing: list[index..<end]))
            guard let number = Self.number(digits), number == value ?? number else {
                isContradictory = true
                return
            }
            value = number
            index = end &+ 1
        } while index <= list.count
    }

    /// `nil` for no digits, other characters, and numbers above `Int64.max`.
    private static func number(_ digits: UnsafeRawBufferPointer) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var number: Int64 = 0
        for digit in digits {
            guard HTTP1Bytes.isDigit(digit) else { return nil }
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isStillTooLarge) = tens.addingReportingOverflow(Int64(digit &- UInt8(ascii: "0")))
            guard !isTooLarge, !isStillTooLarge else { return nil }
            number = sum
        }
        return number
    }
}
