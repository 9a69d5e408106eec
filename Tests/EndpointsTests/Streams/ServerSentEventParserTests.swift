import Endpoints
import Foundation
import Testing
import TestSupport

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
        // An event without data is not dispatched: the buffers are cleared, and the ID is kept.
        ("event: a\nid: 7\n\ndata: b\n\n", [Event(data: "b", lastEventID: "7")]),
        // Fields and comments.
        (":\n:data: x\ndata: a:b: c\n\n", [Event(data: "a:b: c")]),
        ("Data: a\nDATA: b\n data: c\nfoo: d\nfoo\ndatax: e\ndat: f\n\n", []),
        ("data: a\nevent: x\nevent\n\n", [Event(data: "a")]),
        ("event: x\nevent: y\ndata: a\n\n", [Event(type: "y", data: "a")]),
        ("data:\u{9}a \n\n", [Event(data: "\u{9}a ")]),
        // An ID applies until the next one. An empty ID resets it, and an ID that contains NUL is ignored.
        (
            "id: 1\ndata: a\n\ndata: b\n\nid:\ndata: c\n\n",
            [Event(data: "a", lastEventID: "1"), Event(data: "b", lastEventID: "1"), Event(data: "c")]
        ),
        ("id: 1\nid: a\u{0}b\ndata: a\n\n", [Event(data: "a", lastEventID: "1")]),
        // The retry field allows only digits.
        ("retry: 1500\ndata: a\n\ndata: b\n\n", [Event(data: "a", retry: .milliseconds(1500)), Event(data: "b")]),
        ("retry: 1.5\nretry: -1\nretry: 1s\nretry:\nretry:  1\nretry: ١\ndata: a\n\n", [Event(data: "a")]),
        // Lines end with LF, CR or CRLF, also mixed.
        (
            "data: a\rdata: b\r\rdata: c\r\n\r\ndata: d\n\r\r\n\ndata: e\r\n\n",
            [Event(data: "a\nb"), Event(data: "c"), Event(data: "d"), Event(data: "e")]
        ),
        ("\r\n\r\ndata: a\r\n\r\n", [Event(data: "a")]),
        ("event: x\r\ndata: a\r\ndata: b\r\n\r\n", [Event(type: "x", data: "a\nb")]),
        ("data: a\u{2028}b\u{85}c\u{B}\n\n", [Event(data: "a\u{2028}b\u{85}c\u{B}")]),
        // An event that is incomplete at the end of the stream is discarded.
        ("data: a\n\ndata: b\n", [Event(data: "a")]), ("data: a\n\ndata: b", [Event(data: "a")]), ("data: a", []), ("", []),
        // A byte order mark is removed once, and only at the start.
        ("\u{FEFF}data: a\n\n", [Event(data: "a")]), ("\u{FEFF}\u{FEFF}data: a\n\n", []), ("\n\u{FEFF}data: a\n\n", []),
        ("\u{FEFF}", []),
        ("\u{FEFF}\ndata: a\n\n", [Event(data: "a")]),
        ("data: é日本😀\nevent: ü\nid: ñ\n\n", [Event(type: "ü", data: "é日本😀", lastEventID: "ñ")]),
    ])
    func `a stream is parsed as the standard requires`(stream: String, events: [Event]) {
        expect(Array(stream.utf8), events, "\(stream.debugDescription)")
    }

    @Test func `bytes that are not UTF-8 are replaced`() {
        expect(Array("data: a".utf8) + [0xFF, 0xE2, 0x82, 0x0A, 0x0A], [Event(data: "a\u{FFFD}\u{FFFD}")])
    }

    @Test func `a reconnection time that is too large is limited`() {
        expect(
            Array("retry: 99999999999999999999999\ndata: a\n\n".utf8),
            [Event(data: "a", retry: .milliseconds(1_000_000_000_000))])
    }

    @Test func `the last event ID and the reconnection time are updated without an event`() throws {
        var parser = ServerSentEventParser(lastEventID: "0")
        #expect(parser.lastEventID == "0")
        parser.receive(Data("id: 5\nretry: 10\n".utf8))
        #expect(try parser.next() == nil)
        // The reconnection time applies immediately, and the ID after the blank line (§9.2.6).
        #expect(parser.lastEventID == "0" && parser.reconnectionTime == .milliseconds(10))
        parser.receive(Data("\nid: 6\n".utf8))
        #expect(try parser.next() == nil)
        parser.finish()
        #expect(try parser.next() == nil)
        #expect(parser.lastEventID == "5")
    }

    @Test func `the last event ID of an earlier stream is kept`() {
        let outcome = StreamOutcome(ServerSentEventParser(lastEventID: "9"), Array("data: a\n\n".utf8))
        #expect(outcome.elements == [Event(data: "a", lastEventID: "9")])
    }

    @Test func `an event is returned at its blank line, without waiting for more bytes`() throws {
        var parser = ServerSentEventParser()
        parser.receive(Data("data: a\r\n\r".utf8))
        #expect(try parser.next() == Event(data: "a"))
        parser.receive(Data("\ndata: b\r\r".utf8))
        #expect(try parser.next() == Event(data: "b"))
        #expect(try parser.next() == nil)
    }

    @Test(arguments: ["data: 45678", "data\ndata:7", ": 3456789", "id: 1\nid: 2", "abcdefghijk"])
    func `an event longer than the limit ends the stream, and comments between its lines do not count`(event: String) {
        let stream = Array("data: 1\n: 234\n: 234\n: 234\n\n\(event)\n\ndata: 2\n\n".utf8)
        for chunks in [[Data(stream)], stream.map { Data([$0]) }] {
            #expect(StreamOutcome(ServerSentEventParser(maximumEventBytes: 11), chunks).error == nil)
            let limit = event.utf8.count > 10 ? event.utf8.count - 1 : 8
            let outcome = StreamOutcome(ServerSentEventParser(maximumEventBytes: limit), chunks)
            #expect(outcome.elements == [Event(data: "1")])
            #expect(outcome.error?.contains("longer than \(limit) bytes (maximumEventBytes)") == true)
        }
    }

    @Test func `an endless event is refused, whether it has one line or many`() {
        for line in ["x", "data: x\n", ": x"] {
            let chunk = Data(String(repeating: line, count: 8192).utf8)
            var chunks = 0
            let counted = repeatElement(chunk, count: 1000).lazy.map { chunk in
                chunks += 1
                return chunk
            }
            #expect(StreamSplits.failure(of: ServerSentEventParser(), in: counted) != nil)
            #expect(chunks * chunk.count <= 2 << 20, "\(line)")
        }
    }

    @Test func `the description shows no data`() {
        let event = Event(type: "login", data: "secret", lastEventID: "token")
        #expect("\(event)" == "ServerSentEvent(login, 6 bytes of data)")
        #expect(!String(reflecting: event).contains("secret"))
    }
}
