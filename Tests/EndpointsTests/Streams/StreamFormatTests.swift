import Foundation
import Testing

@testable import Endpoints

@Suite struct StreamFormatTests {
    struct Movie: Decodable, Sendable, Equatable {
        var id: Int
    }

    final class Received: @unchecked Sendable {
        // @unchecked Sendable: each test reads its stream on one thread.
        var failures: [String] = []
    }

    private func read<Element>(_ format: StreamFormat<Element>, _ text: String) throws(StreamParsingError) -> [Element] {
        var parser = format.makeParser()
        var elements: [Element] = []
        parser.receive(Data(text.utf8))
        parser.finish()
        while let element = try parser.next() { elements.append(element) }
        return elements
    }

    /// Each stream has records of the wrong type or malformed records between two valid ones.
    @Test func `an element that cannot be decoded ends the stream unless the format skips it`() throws {
        let streams: [(text: String, format: (ElementFailureRule) -> StreamFormat<Movie>, failures: [String])] = [
            (
                "{\"id\":1}\n\n{\"id\":\"x\"}\n{\"id\"\n{\"id\":2}", { .ndjson(Movie.self, onFailure: $0) },
                ["1 DecodingError", "2 DecodingError"]
            ),
            (
                "\u{1E}{\"id\":1}\n\u{1E}[]\u{1E}{\"i\u{1E}nope\n\u{1E}{\"id\":2}", { .jsonSequence(Movie.self, onFailure: $0) },
                ["1 DecodingError", "2 the text is truncated", "3 the text is malformed, a value is expected"]
            ),
            (
                "{\"a\":[{\"id\":1},{\"id\":1.5},{},null,{\"id\":2}]}", { .elements(of: Movie.self, at: "a", onFailure: $0) },
                ["1 DecodingError", "2 DecodingError", "3 DecodingError"]
            ),
        ]
        for (text, format, failures) in streams {
            #expect(try read(format(.skip), text) == [Movie(id: 1), Movie(id: 2)])
            let received = Received()
            _ = try read(
                format(
                    .skip { index, error in
                        let name = if case .undecodable(let cause) = error.kind { "\(type(of: cause))" } else { error.reason }
                        received.failures.append("\(index) \(name)")
                    }), text)
            #expect(received.failures == failures)
            var parser = format(.stop).makeParser()
            parser.receive(Data(text.utf8))
            #expect(try parser.next() == Movie(id: 1))
            let error = #expect(throws: StreamParsingError.self) { try parser.next() }
            #expect(error?.index == 1 && error?.endsStream == false && error?.record.isEmpty == false)
        }
    }

    @Test func `the coding path of a failure begins at the document's root`() throws {
        let error = #expect(throws: StreamParsingError.self) {
            try read(.elements(of: [String: Int].self, at: "/data/0"), #"{"data":[[{"a":1},{"a":1,"b":"x"}]]}"#)
        }
        guard case .undecodable(let cause as DecodingError) = error?.kind, case .typeMismatch(_, let context) = cause else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["data", "Index 0", "Index 1", "b"])
        #expect(context.codingPath.map(\.intValue) == [nil, 0, 1, nil])
    }

    @Test func `an error that ends the stream is never skipped`() {
        #expect(throws: StreamParsingError.self) { try read(.elements(of: Int.self, onFailure: .skip), "[1,2") }
        #expect(throws: StreamParsingError.self) { try read(.jsonSequence(Int.self, onFailure: .skip), "1\n") }
        #expect(throws: StreamParsingError.self) {
            try read(.ndjson(Int.self, onFailure: .skip, maximumLineBytes: 3), "1\n1234\n")
        }
    }

    @Test func `each format has a static member`() throws {
        #expect(try read(.chunks, "abc") == [Data("abc".utf8)])
        #expect(try read(.lines(), "a\nb") == ["a", "b"])
        #expect(try read(.lines(maximumLineBytes: 3), "a\nb") == ["a", "b"])
        #expect(try read(.serverSentEvents(), "data: a\n\n") == [ServerSentEvent(data: "a")])
        #expect(try read(.ndjson(Int.self), "1\n2\n") == [1, 2])
        #expect(try read(.jsonSequence(Int.self), "\u{1E}1\n") == [1])
        #expect(try read(.elements(of: Int.self), "[1,2]") == [1, 2])
        #expect(try read(.elements(of: Int?.self, at: "a"), "{\"a\":[null,2]}") == [nil, 2])
    }

    @Test func `each stream has a separate parser`() throws {
        let format = StreamFormat<String>.lines()
        var first = format.makeParser()
        first.receive(Data("half".utf8))
        #expect(try first.next() == nil)
        #expect(try read(format, "line\n") == ["line"])
    }

    @Test func `no description of an error shows content of the stream`() throws {
        let error = #expect(throws: StreamParsingError.self) { try read(.ndjson(Movie.self), "{\"token\": \"s3cret\"}") }
        #expect(error.map { !"\($0) \(String(reflecting: $0))".contains("s3cret") } == true)
        let reason = #"at [0], no value for the key "id"; the keys there are "token""#
        #expect(error?.errorDescription == "element 0 of the stream: cannot be decoded: " + reason)
    }

    @Test func `the data of an event is decoded as JSON`() throws {
        #expect(try ServerSentEvent(data: "{\"id\": 7}").decoded(as: Movie.self) == Movie(id: 7))
    }
}
