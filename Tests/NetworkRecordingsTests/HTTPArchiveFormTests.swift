import Foundation
import NetworkRecordings
import NetworkTesting
import Testing
import TransferTestSupport

/// The requirements of HAR 1.2 for a document, so that other programs can open it.
struct HTTPArchiveFormTests {
    private enum Form {
        case text, number, list, object
    }

    /// The required members of each object.
    private static let required: [String: [String: Form]] = [
        "log": ["version": .text, "creator": .object, "entries": .list],
        "creator": ["name": .text, "version": .text],
        "entry": [
            "startedDateTime": .text, "time": .number, "request": .object, "response": .object, "cache": .object,
            "timings": .object,
        ],
        "request": [
            "method": .text, "url": .text, "httpVersion": .text, "cookies": .list, "headers": .list, "queryString": .list,
            "headersSize": .number, "bodySize": .number,
        ],
        "response": [
            "status": .number, "statusText": .text, "httpVersion": .text, "cookies": .list, "headers": .list, "content": .object,
            "redirectURL": .text, "headersSize": .number, "bodySize": .number,
        ],
        "content": ["size": .number, "mimeType": .text],
        "timings": ["send": .number, "wait": .number, "receive": .number],
        "postData": ["mimeType": .text, "text": .text],
        "item": ["name": .text, "value": .text],
    ]

    private static let optional: [String: Set<String>] = [
        "log": ["pages", "comment", "browser"], "entry": ["pageref", "serverIPAddress", "connection", "comment"],
        "request": ["postData", "comment"], "content": ["compression", "text", "encoding", "comment"],
        "timings": ["blocked", "dns", "connect", "ssl", "comment"], "postData": ["params", "comment"],
    ]

    private func check(_ value: Any?, is kind: String, _ place: String) {
        guard let object = value as? [String: Any], let required = Self.required[kind] else {
            Issue.record("\(place) is not an object")
            return
        }
        for (name, form) in required {
            let isRight =
                switch form {
                case .text: object[name] is String
                case .number: object[name] is NSNumber
                case .list: object[name] is [Any]
                case .object: object[name] is [String: Any]
                }
            #expect(isRight, "\(place).\(name)")
        }
        for name in object.keys where required[name] == nil && !name.hasPrefix("_") {
            #expect(Self.optional[kind]?.contains(name) == true, "\(place).\(name) is not part of HAR 1.2")
        }
    }

    @Test func `documents have all members that HAR requires, and other members only with an underscore`() async throws {
        let stub = StubSessionManager()
        stub.route(.failure(.timedOut), for: "/fails")
        stub.route { _ in .json("{}", status: 201, headers: ["Set-Cookie": "a=b", "Location": "/y"]) }
        let recording = RecordingSessionManager(stub)
        _ = try await recording.response(
            for: .make(
                .post, "https://a.test/x?a=1&b", headers: ["Content-Type": "application/x-www-form-urlencoded", "Cookie": "a=b"],
                body: "a=1"))
        _ = try await recording.response(for: .make(.post, body: "\u{0}"))
        _ = await recording.failure(of: try .make(.get, "https://a.test/fails"))
        let document = try JSONSerialization.jsonObject(with: recording.archive.data()) as? [String: Any]
        let log = try #require(document?["log"] as? [String: Any])
        check(log, is: "log", "log")
        check(log["creator"], is: "creator", "creator")
        #expect(log["version"] as? String == "1.2" && document?.count == 1)
        let entries = try #require(log["entries"] as? [[String: Any]])
        #expect(entries.count == 3)
        for (index, entry) in entries.enumerated() {
            check(entry, is: "entry", "[\(index)]")
            check(entry["timings"], is: "timings", "[\(index)].timings")
            let request = try #require(entry["request"] as? [String: Any])
            let response = try #require(entry["response"] as? [String: Any])
            check(request, is: "request", "[\(index)].request")
            check(response, is: "response", "[\(index)].response")
            check(response["content"], is: "content", "[\(index)].content")
            if let postData = request["postData"] { check(postData, is: "postData", "[\(index)].postData") }
            let lists = [
                request["headers"], request["queryString"], request["cookies"], response["headers"], response["cookies"],
            ]
            for item in lists.flatMap({ $0 as? [Any] ?? [] }) { check(item, is: "item", "[\(index)] item") }
        }
        let first = try #require(entries[0]["request"] as? [String: Any])
        #expect((first["queryString"] as? [Any])?.count == 2)
        #expect(((first["postData"] as? [String: Any])?["params"] as? [Any])?.count == 1)
        // The durations of the phases add up to the total, and TLS is part of connecting.
        for entry in entries {
            let timings = try #require(entry["timings"] as? [String: Double])
            let sum = timings.filter { $0.key != "ssl" }.values.reduce(0) { $0 + max($1, 0) }
            #expect(abs(sum - (entry["time"] as? Double ?? -1)) < 0.01)
        }
    }

    @Test func `timing phases are converted to those of HAR, and the time before the last redirect counts as blocked`()
        async throws
    {
        struct Timed: NetworkSessionManager {
            var timings: TransferTimings
            func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
                NetworkResponse(statusCode: 200, url: request.url, timings: timings)
            }
        }
        var timings = TransferTimings(
            queued: .milliseconds(1), nameLookup: .milliseconds(2), connect: .milliseconds(3), tls: .milliseconds(4),
            send: .milliseconds(2), firstByte: .milliseconds(5), total: .milliseconds(21), protocolName: "h2")
        func recorded() async throws -> HTTPArchive.Entry {
            let recording = RecordingSessionManager(Timed(timings: timings))
            _ = try await recording.response(for: .make())
            return recording.archive.entries[0]
        }
        let direct = try await recorded()
        #expect(
            direct.timings
                == .init(
                    blocked: .milliseconds(1), dns: .milliseconds(2), connect: .milliseconds(7), ssl: .milliseconds(4),
                    send: .milliseconds(2), wait: .milliseconds(3), receive: .milliseconds(6)))
        #expect(direct.timings.total == .milliseconds(21) && direct.response.httpVersion == "HTTP/2.0")
        timings.redirects = 1
        let redirected = try await recorded()
        #expect(redirected.timings.blocked == .milliseconds(7) && redirected.timings.receive == nil)
    }

    @Test func `a body that was not recorded is still marked as such after writing and reading`() throws {
        let archive = try ArchiveSamples.archive(
            ArchiveSamples.entry(
                request: #""method": "POST", "url": "https://a.test/x", "bodySize": 9"#,
                response: #""status": 200, "content": {"size": 9}"#))
        #expect(archive.entries[0].response.body.data == nil && archive.entries[0].request.body?.data == nil)
        let again = try HTTPArchive(data: archive.data())
        #expect(again.entries[0].response.body.data == nil && again.entries[0].request.body?.data == nil)
    }

    /// RFC 6265 §4.2.1. Chromium joins the lines of a field with line feeds.
    @Test func `lines and cookies are divided at octets`() throws {
        let request =
            #""method": "GET", "url": "https://a.test/x", "headers": [{"name": "Cookie", "value": "a=1;\u0301b=2; c=\u0301; d; e="}]"#
        let response = #""status": 200, "headers": [{"name": "X", "value": "1\r\n2\n\u03013"}], "content": {"text": "ok"}"#
        let archive = try ArchiveSamples.archive(ArchiveSamples.entry(request: request, response: response))
        #expect(archive.entries.first?.response.headers.values(for: "X") == ["1", "2", "\u{301}3"])
        let document = try JSONSerialization.jsonObject(with: archive.data()) as? [String: Any]
        let entry = ((document?["log"] as? [String: Any])?["entries"] as? [[String: Any]])?.first
        let cookies = (entry?["request"] as? [String: Any])?["cookies"] as? [[String: Any]] ?? []
        #expect(cookies.compactMap { $0["name"] as? String } == ["a", "\u{301}b", "c", "e"])
    }
}
