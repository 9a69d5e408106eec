import Foundation
import JSONDocuments
import NetworkJSON
import Testing

/// Dates in bodies and queries (RFC 3339 §5.6).
@Suite struct `Internet dates` {
    @Test(
        arguments: [
            (0, "2001-01-01T00:00:00Z"), (-978_307_200, "1970-01-01T00:00:00Z"), (0.5, "2001-01-01T00:00:00Z"),
            (-0.25, "2000-12-31T23:59:59Z"), (817_178_400, "2026-11-24T02:00:00Z"), (800_000_000.99999, "2026-05-09T06:13:20Z"),
            (1e-300, "2001-01-01T00:00:00Z"), (-1e-300, "2000-12-31T23:59:59Z"),
            (-63_145_526_400, "0000-01-01T00:00:00Z"), (-63_145_526_400 + 59 * 86_400, "0000-02-29T00:00:00Z"),
            (252_423_993_599.5, "9999-12-31T23:59:59Z"), (-31_622_400 - 86_400 * 307, "1999-02-28T00:00:00Z"),
        ] as [(Double, String)])
    func `a date is written in UTC, rounded down to whole seconds`(interval: Double, text: String) {
        #expect(InternetDate.text(Date(timeIntervalSinceReferenceDate: interval)) == text)
    }

    @Test(
        arguments: [
            -63_145_526_400.5, 252_423_993_600, 1e300, -1e300, .infinity, -.infinity, .nan,
        ] as [Double])
    func `a date outside of the years 0000 to 9999 has no text`(interval: Double) {
        #expect(InternetDate.text(Date(timeIntervalSinceReferenceDate: interval)) == nil)
    }

    @Test(
        arguments: [
            ("2001-01-01T00:00:00Z", 0), ("2001-01-01t00:00:00z", 0), ("2001-01-01T00:00:00.5Z", 0.5),
            ("2001-01-01T00:00:00.000000000000000000000001Z", 0), ("2001-01-01T01:00:00+01:00", 0),
            ("2000-12-31T19:00:00.25-05:00", 0.25),
            ("2001-01-01T00:00:00-00:00", 0), ("1990-12-31T23:59:60Z", -315_619_200),
            ("0000-03-01T00:00:00Z", -63_145_526_400 + 60 * 86_400),
            ("2000-02-29T00:00:00.123456789Z", -26_524_800 + 0.123456789),
        ] as [(String, Double)])
    func `a date is read with or without a fraction, in any time zone`(text: String, interval: Double) {
        #expect(InternetDate.date(text)?.timeIntervalSinceReferenceDate == interval)
    }

    @Test(arguments: [
        "", "2001-01-01", "2001-01-01T00:00Z", "2001-01-01T00:00:00", "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00.1",
        "2001-01-01T00:00:00ZZ", "2001-01-01T00:00:00+01", "2001-01-01T00:00:00+0100", "2001-01-01T00:00:00+24:00",
        "2001-01-01T00:00:00+01:60", "2001-13-01T00:00:00Z", "2001-00-01T00:00:00Z", "2001-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "2001-01-01T24:00:00Z", "2001-01-01T00:60:00Z", "2001-01-01T00:00:61Z", "2001-01-01 00:00:00Z", "2001/01/01T00:00:00Z",
        " 2001-01-01T00:00:00Z", "2001-01-01T00:00:00Z ", "2001-01-01T00:00:00,5Z", "+2001-01-01T00:00:00Z",
        "2001-01-01T0a:00:00Z",
        "2001-01-01T00:00:00+0a:00", "２００１-01-01T00:00:00Z", "12001-01-01T00:00:00Z",
    ])
    func `any other text is not a date`(text: String) {
        #expect(InternetDate.date(text) == nil)
    }

    @Test func `random dates are read as they were written, and agree with Foundation`() throws {
        var random = Random(seed: 2026)
        for _ in 0..<20_000 {
            let interval = Double.random(in: -63_145_526_400..<252_423_993_600, using: &random)
            let second = Date(timeIntervalSinceReferenceDate: interval.rounded(.down))
            let text = try #require(InternetDate.text(Date(timeIntervalSinceReferenceDate: interval)), "\(interval)")
            #expect(InternetDate.date(text) == second, "\(interval) \(text)")
            // Foundation uses the Julian calendar before 1582.
            if interval > -13_000_000_000 { #expect(text == second.formatted(.iso8601), "\(interval)") }
            let milliseconds = random.below(1000)
            let fraction = "." + String(1000 + milliseconds).dropFirst() + ["Z", "+00:00", "-00:00", "z"][random.below(4)]
            let date = InternetDate.date(text.dropLast() + fraction)
            #expect(date == second + Double(milliseconds) / 1000, "\(text) \(fraction)")
        }
    }

    private struct Event: Codable, Equatable {
        var at: Date
        var all: [Date?] = []
        var byName: [String: Date] = [:]
    }

    @Test func `the encoder and the decoder agree with each other, and with Foundation's that use their strategies`() throws {
        let event = Event(
            at: Date(timeIntervalSinceReferenceDate: 800_000_000), all: [Date(timeIntervalSinceReferenceDate: 0), nil],
            byName: ["a": Date(timeIntervalSinceReferenceDate: -1)])
        let text = #"{"all":["2001-01-01T00:00:00Z",null],"at":"2026-05-09T06:13:20Z","byName":{"a":"2000-12-31T23:59:59Z"}}"#
        let (encoder, decoder) = (TransferJSONEncoder(), TransferJSONDecoder())
        encoder.outputFormatting = .sortedKeys
        let foundation = (JSONEncoder(), JSONDecoder())
        foundation.0.outputFormatting = .sortedKeys
        foundation.0.dateEncodingStrategy = encoder.dateEncodingStrategy
        foundation.1.dateDecodingStrategy = decoder.dateDecodingStrategy
        #expect(String(decoding: try encoder.encode(event), as: UTF8.self) == text)
        #expect(String(decoding: try foundation.0.encode(event), as: UTF8.self) == text)
        #expect(try decoder.decode(Event.self, from: Data(text.utf8)) == event)
        #expect(try foundation.1.decode(Event.self, from: Data(text.utf8)) == event)
        decoder.allowsJSON5 = true
        #expect(try decoder.decode(Event.self, from: Data(text.utf8)) == event)
        #expect(try TransferJSONDecoder().decode([Date].self, from: Data(#"["2001\u002d01-01T00:00:00Z"]"#.utf8)).count == 1)
    }

    @Test func `other strategies keep the dates, and another strategy for dates replaces them`() throws {
        let (encoder, decoder) = (TransferJSONEncoder(), TransferJSONDecoder())
        encoder.outputFormatting = .sortedKeys
        encoder.keyEncodingStrategy = .convertToSnakeCase
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let event = Event(at: Date(timeIntervalSinceReferenceDate: 1))
        let data = try encoder.encode(event)
        #expect(String(decoding: data, as: UTF8.self) == #"{"all":[],"at":"2001-01-01T00:00:01Z","by_name":{}}"#)
        #expect(try decoder.decode(Event.self, from: data) == event)
        encoder.dateEncodingStrategy = .deferredToDate
        decoder.dateDecodingStrategy = .deferredToDate
        #expect(String(decoding: try encoder.encode([event.at]), as: UTF8.self) == "[1]")
        #expect(try decoder.decode([Date].self, from: Data("[1]".utf8)) == [event.at])
        #expect(String(decoding: try TransferJSONEncoder(JSONEncoder()).encode([event.at]), as: UTF8.self) == "[1]")
        #expect(try TransferJSONDecoder(JSONDecoder()).decode([Date].self, from: Data("[1]".utf8)) == [event.at])
    }

    @Test(arguments: ["[1]", "[true]", #"["2001"]"#, "[null]", "[{}]"])
    func `what is not a date is an error with its coding path`(text: String) throws {
        let error = #expect(throws: DecodingError.self) {
            try TransferJSONDecoder().decode([Date].self, from: Data(text.utf8))
        }
        switch error {
        case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
            #expect(context.codingPath.last?.intValue == 0)
        default: Issue.record("\(String(describing: error))")
        }
    }

    @Test(arguments: [1e300, Double.nan])
    func `a date without a text is an error with its coding path`(interval: Double) {
        let error = #expect(throws: EncodingError.self) {
            try TransferJSONEncoder().encode(["a": Date(timeIntervalSinceReferenceDate: interval)])
        }
        guard case .invalidValue(_, let context) = error else { return }
        #expect(context.codingPath.map(\.stringValue) == ["a"])
    }
}
