import Testing

@testable import NetworkTransport

struct AnnouncedLengthTests {
    private func isContradictory(_ values: [String]) -> Bool {
        var length = AnnouncedLength()
        for value in values { Array(value.utf8).withUnsafeBytes { length.receive(value: $0) } }
        return length.isContradictory
    }

    @Test(arguments: [
        [], ["5"], ["\t 0 \t"], ["5", " 5"], ["5, 5 ,5"], ["005", "5"], ["9223372036854775807"],
    ])
    func `equal lengths are accepted (RFC 9112 §6.3)`(values: [String]) {
        #expect(!isContradictory(values))
    }

    @Test(arguments: [
        [""], [" "], ["x"], ["-1"], ["+1"], ["1 2"], ["5,"], ["5, 6"], ["5", "6"], ["9223372036854775808"],
        ["99999999999999999999999"], ["0x5"],
    ])
    func `contradictory or invalid lengths are rejected`(values: [String]) {
        #expect(isContradictory(values))
    }
}
