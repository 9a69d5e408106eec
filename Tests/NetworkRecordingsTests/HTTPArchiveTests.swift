import Foundation
import NetworkRecordings
import NetworkTesting
import Testing
import TransferTestSupport

struct HTTPArchiveTests {
    private func error(_ data: Data, limits: HTTPArchive.Limits = .init()) -> String? {
        do throws(HTTPArchiveError) {
            _ = try HTTPArchive(data: data, limits: limits)
            return nil
        } catch {
            return error.description
        }
    }

    @Test(
        arguments: [
            (ArchiveSamples.entry(response: #""status": "200""#), "log.entries[0].response.status is not a number"),
            (ArchiveSamples.entry(response: #""status": 200.5"#), "log.entries[0].response.status is not a status code"),
            (ArchiveSamples.entry(response: #""status": 99999"#), "log.entries[0].response.status is not a status code"),
            (ArchiveSamples.entry(response: #""status": null"#), "log.entries[0].response.status is null"),
            (ArchiveSamples.entry(response: #""headers": []"#), "log.entries[0].response.status is missing"),
            (ArchiveSamples.entry(request: #""method": "GET""#), "log.entries[0].request.url is missing"),
            (ArchiveSamples.entry(request: #""method": 1, "url": "x""#), "log.entries[0].request.method is not a string"),
            (#"{"request": {"method": "GET", "url": "x"}}"#, "log.entries[0].response is missing"),
            (#"{"request": [], "response": {"status": 200}}"#, "log.entries[0].request is not an object"),
            (
                ArchiveSamples.entry(response: #""status": 200, "headers": {"a": "b"}"#),
                "log.entries[0].response.headers is not a list"
            ),
            (
                ArchiveSamples.entry(response: #""status": 200, "headers": [{"name": "a", "value": "b"}, {"value": "c"}]"#),
                "log.entries[0].response.headers[1].name is missing"
            ),
            (
                ArchiveSamples.entry(response: #""status": 200, "content": {"text": "?", "encoding": "base64"}"#),
                "log.entries[0].response.content.text is not base64"
            ),
            (
                ArchiveSamples.entry(response: #""status": 200, "content": {"text": "?", "encoding": "rot13"}"#),
                #"log.entries[0].response.content.encoding is "rot13", which is not supported; only base64 is"#
            ),
            (
                ArchiveSamples.entry(request: #""method": "GET", "url": "x", "postData": {"text": 7}"#),
                "log.entries[0].request.postData.text is not a string"
            ),
        ])
    func `a malformed required field is named with its entry and path`(entry: String, message: String) {
        #expect(error(ArchiveSamples.document(entry)) == message)
    }

    @Test(
        arguments: [
            ("", "the archive is not JSON in UTF-8"), ("[", "the archive is not JSON in UTF-8"),
            ("{}", "log is missing"), (#"{"log": []}"#, "log is not an object"),
            (#"{"log": {}}"#, "log.entries is missing"), (#"{"log": {"entries": {}}}"#, "log.entries is not a list"),
            (#"{"log": {"entries": [7]}}"#, "log.entries[0] is not an object"),
        ])
    func `a document that is not an archive is rejected`(document: String, message: String) {
        #expect(error(Data(document.utf8)) == message)
    }

    /// Entries in the form that Firefox, Safari and others write, each reduced to its peculiarities.
    @Test(
        arguments: [
            // Only required members.
            ArchiveSamples.entry(more: #""cache": null"#),
            // Firefox omits the phases of a cached response, and its size is unknown.
            ArchiveSamples.entry(
                response:
                    #""status": 200, "httpVersion": "HTTP/2", "headers": [], "cookies": [], "content": {"mimeType": "text/plain", "size": 2, "text": "ok"}, "redirectURL": "", "headersSize": -1, "bodySize": -1"#,
                more:
                    #""startedDateTime": "2026-01-02T04:04:05.678+01:00", "timings": {}, "time": 0, "_securityState": "secure", "pageref": "page_1""#
            ),
            // Safari writes null for missing values.
            ArchiveSamples.entry(
                request: #""method": "GET", "url": "https://a.test/x", "headers": null, "postData": null, "bodySize": null"#,
                more: #""startedDateTime": null, "timings": null, "serverIPAddress": 7, "_fetchType": "Memory Cache""#),
            // Sizes that do not match, invalid times, an invalid date.
            ArchiveSamples.entry(
                response:
                    #""status": 200, "bodySize": 1e300, "content": {"size": 1000000000000, "compression": "x", "text": "ok"}"#,
                more: #""startedDateTime": "yesterday", "time": "long", "timings": {"send": -5, "wait": 1e300, "receive": "x"}"#),
            // Base64 with line breaks, header values with several lines, HTTP/2 pseudo-header fields.
            ArchiveSamples.entry(
                request: #""method": "GET", "url": "https://a.test/x", "headers": [{"name": ":method", "value": "GET"}]"#,
                response:
                    #""status": 200, "headers": [{"name": "Set-Cookie", "value": "a=1\nb=2"}, {"name": ":status", "value": "200"}], "content": {"text": "b2\ns=", "encoding": "Base64"}"#
            ),
        ])
    func `archives written by browsers are read`(entry: String) async throws {
        let archive = try HTTPArchive(data: ArchiveSamples.document(entry))
        #expect(archive.entries.first?.response.body.data == Data("ok".utf8))
        let session = ReplaySessionManager(archive)
        let response = try await session.response(for: .make())
        #expect(response.data == Data("ok".utf8) && !response.headers.contains(":status"))
        _ = try HTTPArchive(data: archive.data())
    }

    @Test(
        arguments: [
            (#""status": 0, "_error": "net::ERR_NAME_NOT_RESOLVED""#, .nameLookupFailed),
            (#""status": 0, "_error": "net::ERR_CONNECTION_REFUSED""#, .cannotConnect),
            (#""status": 0, "_error": "net::ERR_TIMED_OUT""#, .timedOut),
            (#""status": 0, "_error": "net::ERR_CERT_DATE_INVALID""#, .tlsFailed), (#""status": 0"#, .connectionLost),
            (#""status": -1, "content": {"size": 0}"#, .connectionLost),
            (#""status": 200, "_error": "net::ERR_INCOMPLETE_CHUNKED_ENCODING""#, .incompleteBody),
            (#""status": 200, "_error": "net::ERR_ABORTED", "content": {"size": 0}"#, nil),
            (
                #""status": 200, "_error": "net::ERR_ABORTED", "content": {"size": 0}, "headers": [{"name": "content-length", "value": "9"}]"#,
                .connectionLost
            ),
            (#""status": 200, "_error": "net::ERR_ABORTED", "content": {"size": 9}"#, .connectionLost),
            (
                #""status": 204, "_error": "net::ERR_ABORTED", "content": {"size": 0}, "headers": [{"name": "content-length", "value": "9"}]"#,
                nil
            ),
            (#""status": 200, "_error": null, "content": {"text": "ok"}"#, nil),
        ] as [(String, TransportError.Code?)])
    func `an error recorded by a browser is converted into a failure`(response: String, code: TransportError.Code?) async throws {
        let archive = try HTTPArchive(data: ArchiveSamples.document(ArchiveSamples.entry(response: response)))
        #expect(archive.entries.first?.failure?.code == code)
        #expect(await ReplaySessionManager(archive).failure(of: try .make())?.code == code)
    }

    @Test func `dates with any offset are read, and written in UTC`() throws {
        let archive = try HTTPArchive(
            data: ArchiveSamples.document(ArchiveSamples.entry(more: #""startedDateTime": "2026-01-02T04:04:05.678+01:00""#)))
        let date = try #require(archive.entries.first?.started)
        #expect(abs(date.timeIntervalSince1970 - 1_767_323_045.678) < 0.001)
        #expect(String(decoding: try archive.data(), as: UTF8.self).contains(#""2026-01-02T03:04:05.678Z""#))
    }

    @Test(arguments: ["202396-01-02T03:04:05.678Z", "0000-01-01T00:00:00Z", "1960-01-01T00:00:00Z", "now"])
    func `an invalid date, or one out of range, is ignored`(text: String) throws {
        let entry = ArchiveSamples.entry(more: #""startedDateTime": "\#(text)""#)
        let archive = try HTTPArchive(data: ArchiveSamples.document(entry))
        #expect(archive.entries.first?.started == nil)
        var far = archive
        for date in [Date.distantFuture, .distantPast, Date(timeIntervalSince1970: .infinity), Date(timeIntervalSince1970: .nan)]
        {
            far.entries[0].started = date
            _ = try HTTPArchive(data: far.data())
        }
    }

    @Test func `an exceeded limit is named in the error`() {
        let two = ArchiveSamples.document(ArchiveSamples.entry() + "," + ArchiveSamples.entry())
        #expect(error(two, limits: .init(entries: 1)) == "log.entries contains more than the 1 entries allowed (entries)")
        #expect(error(two, limits: .init(fileBytes: 10)) == "the archive is larger than the 10 bytes allowed (fileBytes)")
        #expect(
            error(two, limits: .init(bodyBytes: 1))
                == "log.entries[0].response.content.text is larger than the 1 bytes allowed (bodyBytes)")
        let encoded = ArchiveSamples.entry(response: #""status": 200, "content": {"text": "AAAA", "encoding": "base64"}"#)
        #expect(error(ArchiveSamples.document(encoded), limits: .init(bodyBytes: 3)) == nil)
        #expect(error(ArchiveSamples.document(encoded), limits: .init(bodyBytes: 2))?.contains("bodyBytes") == true)
        #expect(error(two, limits: .init(entries: 2)) == nil)
    }

    @Test func `a file that is missing or too large is an error that names it`() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("a.har")
        let missing = #expect(throws: HTTPArchiveError.self) { try HTTPArchive(contentsOf: file) }
        #expect(
            missing?.description == "a.har: the archive cannot be opened: No such file or directory" && missing?.underlying != nil
        )
        try ArchiveSamples.document(ArchiveSamples.entry()).write(to: file)
        #expect(try HTTPArchive(contentsOf: file).entries.count == 1)
        let large = #expect(throws: HTTPArchiveError.self) { try HTTPArchive(contentsOf: file, limits: .init(fileBytes: 20)) }
        #expect(large?.description == "a.har: the archive is larger than the 20 bytes allowed (fileBytes)")
        #expect(throws: HTTPArchiveError.self) { try HTTPArchive(contentsOf: folder.url) }
    }

    @Test func `an archive is unchanged after it is written and read`() throws {
        var entry = HTTPArchive.Entry(
            started: Date(timeIntervalSince1970: 1_767_323_045.5),
            request: .init(
                method: .post, url: "https://a.test/x?q=a%20b&q=2", httpVersion: "HTTP/2.0",
                headers: ["Content-Type": "application/octet-stream", "A": "1", "a": "2"],
                body: .init(Data([0, 255, 10]), mimeType: "application/octet-stream", isTruncated: true), bodySize: 9),
            response: .init(
                statusCode: 201, statusText: "Created", headers: ["Location": "/y"],
                body: .init(Data(#"{"ü": "<redacted>"}"#.utf8), mimeType: "application/json", isRedacted: true), bodySize: 7,
                finalURL: "https://a.test/y"),
            timings: .init(blocked: .milliseconds(1), connect: .microseconds(1500), wait: .milliseconds(2)),
            failure: .init(.incompleteBody, phase: .receive, message: "cut"), serverAddress: "::1")
        entry.timings.send = .zero
        entry.timings.receive = .zero
        let archive = HTTPArchive(entries: [entry], comment: "for people")
        #expect(try HTTPArchive(data: archive.data()) == archive)
    }

    @Test(.timeLimit(.minutes(10))) func `a damaged archive is an error or an archive, and does not trap`() throws {
        let original = try Data(contentsOf: ArchiveSamples.chromium)
        var random = SystemRandomNumberGenerator()
        var seed = UInt64.random(in: 0...UInt64.max, using: &random)
        func next(_ bound: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(seed >> 33) % bound
        }
        for _ in 0..<40 {
            var damaged = original
            for _ in 0...next(8) { damaged[next(damaged.count)] = UInt8(next(256)) }
            if next(3) == 0 { damaged.removeLast(next(damaged.count)) }
            guard let archive = try? HTTPArchive(data: damaged) else { continue }
            _ = try archive.data()
        }
    }

    /// Each member of an entry, at any depth, is removed and replaced by a value of each type, between two intact entries.
    @Test func `an entry with any odd member leaves the others readable, and is read itself or named with its place`()
        async throws
    {
        let message = ##""headers": [{"name": "A", "value": "1"}], "cookies": [], "bodySize": 2, "httpVersion": "HTTP/1.1", "##
        let whole = ArchiveSamples.entry(
            request: ##""method": "POST", "url": "https://a.test/odd", "queryString": [], \##(message)"##
                + ##""postData": {"mimeType": "text/plain", "text": "b2s", "encoding": "base64", "params": [{"name": "a", "value": "b"}]}"##,
            response:
                ##""status": 200, "statusText": "", "redirectURL": "", "_trailers": [{"name": "B", "value": "2"}], \##(message)"##
                + ##""content": {"size": 2, "mimeType": "text/plain", "text": "b2s=", "encoding": "base64"}"##,
            more:
                ##""startedDateTime": "2026-01-02T03:04:05.678Z", "time": 1, "timings": {"send": 1}, "_failure": {"code": "x"}, "cache": {}"##
        )
        let odd = [
            nil, "null", "true", "-1", "0.5", "1e308", "\"\"", #""\u0000 text""#, "[]", "[null]", "[[7]]", "{}", #"{"name": 7}"#,
        ]
        var count = 0
        for (place, mutated) in try Self.mutations(of: whole, odd) {
            count += 1
            let intact = ArchiveSamples.entry()
            let archive = try HTTPArchive(data: ArchiveSamples.document("\(intact),\(mutated),\(intact)"))
            // 2 and 1 if the entry was left out; 3 and none if it was read.
            #expect(archive.entries.count == 3 - archive.skipped.count && archive.skipped.count <= 1, "\(place): \(mutated)")
            for error in archive.skipped {
                #expect(error.description.hasPrefix("log.entries[1]") && error.description.utf8.count < 200, "\(place): \(error)")
            }
            for index in [0, archive.entries.count - 1] {
                #expect(archive.entries[index].response.body.data == Data("ok".utf8), "\(place)")
            }
        }
        #expect(count > 400)
        let archive = try ArchiveSamples.archive(ArchiveSamples.entry(), #"{"request": {}}"#)
        let error = await ReplaySessionManager(archive).failure(of: try .make(.get, "https://a.test/other"))
        #expect(
            error?.message.contains("1 could not be read, such as: log.entries[1].response is missing") == true, "\(error as Any)"
        )
    }

    /// Returns the document with each of its members replaced by each text; `nil` removes it.
    private static func mutations(of document: String, _ texts: [String?]) throws -> [(place: String, text: String)] {
        /// The values as JSON, each with the path to it.
        func variants(of value: Any) throws -> [(String, String)] {
            func text(_ value: Any) throws -> String {
                String(decoding: try JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed), as: UTF8.self)
            }
            var result: [(String, String)] = []
            if let object = value as? [String: Any] {
                for (name, member) in object.sorted(by: { $0.key < $1.key }) {
                    let others = try object.filter { $0.key != name }.map { #""\#($0.key)": \#(try text($0.value))"# }
                    for variant in texts.map({ ("", $0) }) + (try variants(of: member)) as [(String, String?)] {
                        let members = others + (variant.1.map { [#""\#(name)": \#($0)"#] } ?? [])
                        result.append((name + "." + variant.0, "{\(members.joined(separator: ","))}"))
                    }
                }
            } else if let list = value as? [Any] {
                for (index, element) in list.enumerated() {
                    for (place, variant) in try variants(of: element) {
                        var elements = try list.map(text)
                        elements[index] = variant
                        result.append(("[\(index)]" + place, "[\(elements.joined(separator: ","))]"))
                    }
                }
            }
            return result
        }
        return try variants(of: JSONSerialization.jsonObject(with: Data(document.utf8)))
    }

    @Test func `a deeply nested document is an error`() {
        let deep = Data((String(repeating: "[", count: 100_000)).utf8)
        #expect(error(deep) == "the archive is not JSON in UTF-8")
    }

    @Test func `descriptions contain no query, header field or body`() throws {
        let archive = try ArchiveSamples.archive(
            ArchiveSamples.entry(
                request: #"""
                    "method": "POST", "url": "https://u:CaNaRy@a.test/x?token=CaNaRy", "headers": [{"name": "Cookie", "value": "CaNaRy"}],
                    "postData": {"mimeType": "text/plain", "text": "CaNaRy"}
                    """#,
                response: #""status": 200, "content": {"mimeType": "text/plain", "text": "CaNaRy"}"#))
        let entry = try #require(archive.entries.first)
        #expect("\(entry)" == "POST https://a.test/x?…, 6-byte body: 200, 6-byte body")
        for value in [archive, entry, entry.request, entry.response, entry.response.body] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!"\(value) \(String(reflecting: value)) \(dumped)".contains("CaNaRy"))
        }
    }
}
