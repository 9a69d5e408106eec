import Endpoints
import Foundation
import Testing

@Suite struct NDJSONParserTests {
    @Test(arguments: [
        ("{}\n[1]\n", ["{}", "[1]"]), ("{}\r\n\r\n \t\n1", ["{}", "1"]), ("\n\n", []), ("", []), ("\u{FEFF}1\n2", ["1", "2"]),
        ("\u{FEFF}\n2", ["2"]), (" 1 \n", [" 1 "]), ("no JSON\n", ["no JSON"]),
    ])
    func `each line that is not blank is a record`(text: String, records: [String]) {
        for chunks in [[Data(text.utf8)], text.utf8.map { Data([$0]) }] {
            let outcome = StreamOutcome(NDJSONParser(), chunks)
            #expect(outcome.elements.map { String(decoding: $0, as: UTF8.self) } == records && outcome.error == nil)
        }
    }

    @Test func `a line that is longer than the limit ends the stream`() {
        let outcome = StreamOutcome(NDJSONParser(maximumLineBytes: 3), Array("123\n   \n\n1234\n5".utf8))
        #expect(outcome.elements == [Data("123".utf8)])
        #expect(outcome.error == "element 1 of the stream: the line is longer than 3 bytes (maximumLineBytes) at byte 9")
    }
}
