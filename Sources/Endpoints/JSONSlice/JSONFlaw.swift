/// What is wrong with a document, and where; small enough to be thrown without a box.
struct JSONFlaw: Error {
    enum Reason: UInt8 {
        case empty, unexpectedEnd, textAfterDocument, tooDeep
        case noValue, noSeparator, noName, noColon
        case noDigit, leadingZero
        case control, badEscape, loneSurrogate, badUTF8
    }

    let reason: Reason

    // An address, because an error is Sendable and a pointer is not. Only ever subtracted from.
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

extension JSONFlaw.Reason {
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
        case .loneSurrogate: "a surrogate escape has no partner"
        case .badUTF8: "a string is not UTF-8"
        }
    }
}
