import Testing

@testable import NetworkTransport

struct AnnouncedLengthTests {
    private func isContradictory(_ lines: [String]) -> Bool {
        var length = AnnouncedLength()
        for line in lines { Array((line + "\r\n").utf8).withUnsafeBytes { length.receive($0) } }
        return length.isContradictory
    }

    @Test(arguments: [
        [], ["Content-Length: 5"], ["content-LENGTH:5"], ["Content-Length:\t 0 \t"], ["Content-Length: 5", "CONTENT-LENGTH: 5"],
        ["Content-Length: 5, 5 ,5"], ["Content-Length: 005", "Content-Length: 5"], ["Content-Length: 9223372036854775807"],
        ["Content-Lengthy: x"], ["X-Content-Length: x"], ["Content-Length"], [":"], [""], ["Content_Length: x"],
    ])
    func `equal lengths are accepted (RFC 9112 §6.3)`(lines: [String]) {
        #expect(!isContradictory(lines))
    }

    @Test(arguments: [
        ["Content-Length:"], ["Content-Length: "], ["Content-Length: x"], ["Content-Length: -1"], ["Content-Length: +1"],
        ["Content-Length: 1 2"], ["Content-Length: 5,"], ["Content-Length: 5, 6"], ["Content-Length: 5", "Content-Length: 6"],
        ["Content-Length: 9223372036854775808"], ["Content-Length: 99999999999999999999999"], ["Content-Length: 0x5"],
    ])
    func `contradictory or invalid lengths are rejected`(lines: [String]) {
        #expect(isContradictory(lines))
    }
}
