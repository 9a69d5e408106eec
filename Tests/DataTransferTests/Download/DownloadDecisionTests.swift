import Foundation
import NetworkTesting
import Testing

@testable import DataTransfer

/// Tests of the decisions on the head of a response (RFC 9110 §14.4, §15.3.7, §15.5.17).
struct DownloadDecisionTests {
    private let url = URL(fileURLWithPath: "/movie.mp4")

    private func decision(
        _ status: Int, _ headers: HeaderFields, have offset: Int64 = 300, total: Int64? = 700
    ) throws -> DownloadDecision {
        let record = DownloadRecord(
            endpoint: "e", location: DownloadRecord.location(of: url),
            validator: try #require(ResumeValidator(["ETag": "\"v1\""])),
            total: total, digest: nil, name: "movie.mp4")
        return Resumption(offset: offset, record: record).decision(on: status, headers, from: url)
    }

    @Test(
        arguments: [
            ("bytes 300-699/700", 700, 700), ("bytes 300-699/*", 700, 700), ("bytes 300-699/700", nil, 700),
            ("bytes 300-699/*", nil, nil), ("bytes 300-300/700", 700, 700), ("bytes 300-999/1000", nil, 1000),
        ] as [(String, Int64?, Int64?)])
    func `a 206 with the requested part is accepted`(range: String, known: Int64?, total: Int64?) throws {
        let expected = try #require(ContentRange(range)?.range)
        #expect(try decision(206, ["Content-Range": range], total: known) == .rest(ContentPart(range: expected, total: total)))
    }

    @Test(
        arguments: [
            (["Content-Range": "bytes 299-699/700"], "from 299"), (["Content-Range": "bytes 301-699/700"], "from 301"),
            (["Content-Range": "bytes 0-699/700"], "from 0"), (["Content-Range": "bytes 300-698/699"], "699 now"),
            (["Content-Range": "bytes 300-700/701"], "701 now"), (["Content-Range": "bytes */700"], "is invalid"),
            (["Content-Range": "bytes 300-699/700, bytes 0-1/700"], "is invalid"), ([:], "without"),
            (["Content-Range": "bytes 300-699/700", "Content-Length": "399"], "399"),
            (["Content-Type": "Multipart/ByteRanges; boundary=x"], "multipart"),
        ] as [(HeaderFields, String)])
    func `a part that was not requested is refused with a reason`(headers: HeaderFields, reason: String) throws {
        guard case .refused(let message) = try decision(206, headers) else { throw DownloadDidNotFail() }
        #expect(message.contains(reason))
    }

    @Test(
        arguments: [
            (206, ["ETag": "\"v2\"", "Content-Range": "bytes 300-699/700"]),
            (206, ["ETag": "W/\"v1\"", "Content-Range": "bytes 300-699/700"]),
            (206, ["Content-Encoding": "gzip", "Content-Range": "bytes 300-699/700"]), (416, ["Content-Range": "bytes */701"]),
            (416, ["Content-Range": "bytes */300", "ETag": "\"v2\""]), (416, ["Content-Range": "bytes */300"]), (416, [:]),
            (416, ["Content-Range": "bytes 0-299/300"]),
        ] as [(Int, HeaderFields)])
    func `a 206 or 416 for a different version or length restarts the download`(status: Int, headers: HeaderFields) throws {
        #expect(try decision(status, headers) == .startOver)
    }

    /// RFC 9110 §8.8.3.2: entity tags are compared by octets.
    @Test(arguments: [("\"\u{301}a\"", "\"\u{301}b\""), ("\"e\u{301}\"", "\"\u{E9}\"")])
    func `a part of a version whose entity tag has other bytes is not combined with the file`(tag: String, other: String) throws {
        let record = DownloadRecord(
            endpoint: "e", location: DownloadRecord.location(of: url), validator: try #require(ResumeValidator(["ETag": tag])),
            total: 700, digest: nil, name: "movie.mp4")
        let resumption = Resumption(offset: 300, record: record)
        for (received, isSame) in [(tag, true), (other, false)] {
            let headers: HeaderFields = ["ETag": received, "Last-Modified": "x", "Content-Range": "bytes 300-699/700"]
            #expect((resumption.decision(on: 206, headers, from: url) == .startOver) == !isSame)
        }
    }

    @Test func `a 416 with a different length restarts the download if no length was known before`() throws {
        #expect(try decision(416, ["Content-Range": "bytes */200"], total: nil) == .startOver)
        #expect(try decision(416, ["Content-Range": "bytes */301"], total: nil) == .startOver)
    }

    @Test func `a 416 with the length of the partial file completes the download`() throws {
        #expect(try decision(416, ["Content-Range": "bytes */700"], have: 700) == .complete)
        #expect(try decision(416, ["Content-Range": "bytes */700", "ETag": "\"v1\""], have: 700, total: nil) == .complete)
    }

    @Test func `a response with a status other than 206 and 416 contains the whole content`() throws {
        #expect(try decision(200, ["Content-Length": "9"]) == .whole(length: 9))
        #expect(try decision(203, ["Content-Length": "9", "Content-Encoding": "gzip"]) == .whole(length: nil))
        #expect(try decision(200, ["Content-Length": "-9", "Content-Encoding": "identity"]) == .whole(length: nil))
    }
}
