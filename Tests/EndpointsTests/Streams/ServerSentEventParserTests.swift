import Endpoints
import Foundation
import Testing

@Suite struct ServerSentEventParserTests {
    typealias Event = ServerSentEvent

    private func expect(_ stream: [UInt8], _ events: [Event], _ comment: Comment? = nil) {
        for chunks in [[Data(stream)], stream.map { Data([$0]) }] {
            let outcome = StreamOutcome(ServerSentEventParser(), chunks)
            #expect(outcome.elements == events, comment)
            #expect(outcome.error == nil, comment)
        }
    }

    /// The examples of WHATWG HTML §9.2.6, and the rules of §9.2.5 and §9.2.6 one by one.
    @Test(arguments: [
        ("data: YHOO\ndata: +2\ndata: 10\n\n", [Event(data: "YHOO\n+2\n10")]),
        (
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
            [Event(data: "first event", lastEventID: "1"), Event(data: "second event"), Event(data: " third event")]
        ),
        ("data\n\ndata\ndata\n\ndata:", [Event(data: ""), Event(data: "\n")]),
        ("data:test\n\ndata: test\n\n", [Event(data: "test"), Event(data: "test")]),
        (
            "event: add\ndata: 1\n\nevent: remove\ndata: 2\n\ndata: 3\n\n",
            [Event(type: "add", data: "1"), Event(type: "remove", data: "2"), Event(data: "3")]
        ),
        // Nothing to dispatch: no data, the buffers are emptied, the ID stays.
        ("event: a\nid: 7\n\ndata: b\n\n", [Event(data: "b", lastEventID: "7")]),
        // Fields and comments.
        (":\n:data: x\ndata: a:b: c\n\n", [Event(data: "a:b: c")]),
        ("Data: a\nDATA: b\n data: c\nfoo: d\nfoo\ndatax: e\ndat: f\n\n", []),
        ("data: a\nevent: x\nevent\n\n", [Event(data: "a")]),
        ("event: x\nevent: y\ndata: a\n\n", [Event(type: "y", data: "a")]),
        ("data:\u{9}a \n\n", [Event(data: "\u{9}a ")]),
        // IDs: empty ones reset, those with NUL are ignored, they stay until the next.
        (
            "id: 1\ndata: a\n\ndata: b\n\nid:\ndata: c\n\n",
            [Event(data: "a", lastEventID: "1"), Event(data: "b", lastEventID: "1"), Event(data: "c")]
        ),
        ("id: 1\nid: a\u{0}b\ndata: a\n\n", [Event(data: "a", lastEventID: "1")]),
        // Retry: digits only.
        ("retry: 1500\ndata: a\n\ndata: b\n\n", [Event(data: "a", retry: .milliseconds(1500)), Event(data: "b")]),
        ("retry: 1.5\nretry: -1\nretry: 1s\nretry:\nretry:  1\nretry: ١\ndata: a\n\n", [Event(data: "a")]),
        // Line ends: LF, CR, CRLF, mixed.
        (
            "data: a\rdata: b\r\rdata: c\r\n\r\ndata: d\n\r\r\n\ndata: e\r\n\n",
            [Event(data: "a\nb"), Event(data: "c"), Event(data: "d"), Event(data: "e")]
        ),
        ("\r\n\r\ndata: a\r\n\r\n", [Event(data: "a")]),
        ("event: x\r\ndata: a\r\ndata: b\r\n\r\n", [Event(type: "x", data: "a\nb")]),
        ("data: a\u{2028}b\u{85}c\u{B}\n\n", [Event(data: "a\u{2028}b\u{85}c\u{B}")]),
        // The end cuts an event off.
        ("data: a\n\ndata: b\n", [Event(data: "a")]), ("data: a\n\ndata: b", [Event(data: "a")]), ("data: a", []), ("", []),
        // The byte order mark, once and only at the start.
        ("\u{FEFF}data: a\n\n", [Event(data: "a")]), ("\u{FEFF}\u{FEFF}data: a\n\n", []), ("\n\u{FEFF}data: a\n\n", []),
        ("\u{FEFF}", []),
        ("\u{FEFF}\ndata: a\n\n", [Event(data: "a")]),
        ("data: é日本😀\nevent: ü\nid: ñ\n\n", [Event(type: "ü", data: "é日本😀", lastEventID: "ñ")]),
    ])
    func `a stream is read as the standard says`(stream: String, events: [Event]) {
        expect(Array(stream.utf8), events, "\(stream.debugDescription)")
    }

    @Test func `bytes that are not UTF-8 are replaced`() {
        expect(Array("data: a".utf8) + [0xFF, 0xE2, 0x82, 0x0A, 0x0A], [Event(data: "a\u{FFFD}\u{FFFD}")])
    }

    @Test func `a pause too long for a number is bounded`() {
        expect(
            Array("retry: 99999999999999999999999\ndata: a\n\n".utf8),
            [Event(data: "a", retry: .milliseconds(1_000_000_000_000))])
    }

    @Test func `ID and pause are known though no event was handed out`() throws {
        var parser = ServerSentEventParser(lastEventID: "0")
        #expect(parser.lastEventID == "0")
        parser.receive(Data("id: 5\nretry: 10\n".utf8))
        #expect(try parser.next() == nil)
        // The pause counts at once, the ID with the blank line (§9.2.6).
        #expect(parser.lastEventID == "0" && parser.reconnectionTime == .milliseconds(10))
        parser.receive(Data("\nid: 6\n".utf8))
        #expect(try parser.next() == nil)
        parser.finish()
        #expect(try parser.next() == nil)
        #expect(parser.lastEventID == "5")
    }

    @Test func `an ID goes on from an earlier stream`() {
        let outcome = StreamOutcome(ServerSentEventParser(lastEventID: "9"), Array("data: a\n\n".utf8))
        #expect(outcome.elements == [Event(data: "a", lastEventID: "9")])
    }

    @Test func `an event is returned at its blank line, whatever follows`() throws {
        var parser = ServerSentEventParser()
        parser.receive(Data("data: a\r\n\r".utf8))
        #expect(try parser.next() == Event(data: "a"))
        parser.receive(Data("\ndata: b\r\r".utf8))
        #expect(try parser.next() == Event(data: "b"))
        #expect(try parser.next() == nil)
    }

    @Test(arguments: ["data: 45678", "data\ndata:7", ": 3456789", "id: 1\nid: 2", "abcdefghijk"])
    func `an event past the limit ends the stream, comments between the lines do not count`(event: String) {
        let stream = Array("data: 1\n: 234\n: 234\n: 234\n\n\(event)\n\ndata: 2\n\n".utf8)
        for chunks in [[Data(stream)], stream.map { Data([$0]) }] {
            #expect(StreamOutcome(ServerSentEventParser(maximumEventBytes: 11), chunks).error == nil)
            let limit = event.utf8.count > 10 ? event.utf8.count - 1 : 8
            let outcome = StreamOutcome(ServerSentEventParser(maximumEventBytes: limit), chunks)
            #expect(outcome.elements == [Event(data: "1")])
            #expect(outcome.error?.contains("longer than \(limit) bytes (maximumEventBytes)") == true)
        }
    }

    @Test func `an event without end is refused, be it one line or many`() {
        for line in ["x", "data: x\n", ": x"] {
            let chunk = Data(String(repeating: line, count: 8192).utf8)
            var chunks = 0
            let counted = repeatElement(chunk, count: 1000).lazy.map { chunk in
                chunks += 1
                return chunk
            }
            #expect(Cuts.failure(of: ServerSentEventParser(), in: counted) != nil)
            #expect(chunks * chunk.count <= 2 << 20, "\(line)")
        }
    }

    @Test func `the description shows no data`() {
        let event = Event(type: "login", data: "secret", lastEventID: "token")
        #expect("\(event)" == "ServerSentEvent(login, 6 bytes of data)")
        #expect(!String(reflecting: event).contains("secret"))
    }
}
