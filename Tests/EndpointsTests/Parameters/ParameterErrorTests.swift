import Endpoints
import Foundation
import Testing
import TestSupport

@Suite struct ParameterErrorTests {
    @Test(
        arguments: [
            ["x": Double.nan], ["x": Double.infinity], ["x": -Float.infinity], ["x": Float16.infinity], ["x": CGFloat.nan],
            ["x": Decimal.nan], ["x": Date(timeIntervalSince1970: .nan)], ["x": Date(timeIntervalSince1970: .infinity)],
            ["x": Date(timeIntervalSince1970: 253_402_300_800)], ["x": Date.distantPast.addingTimeInterval(-1e11)],
        ] as [ParameterList]
    )
    func `a value without a text representation is an error that contains its name`(parameters: ParameterList) throws {
        let error = try Endpoint.make(query: parameters).generationError()
        #expect(error.field == .query("x"))
        #expect(error.underlying is EncodingError)
        // Foundation's description of an extreme date stops the process.
        #expect(!everyText(of: error.underlying as Any).isEmpty)
    }

    @Test(arguments: [QueryStyle.Dates.secondsSince1970, .millisecondsSince1970], [1e300, Double.nan, -Double.infinity])
    func `a date that no integer can represent is refused`(dates: QueryStyle.Dates, seconds: Double) throws {
        let endpoint = Endpoint.make(query: ["x": Date(timeIntervalSince1970: seconds)], style: QueryStyle(dates: dates))
        let error = try endpoint.generationError()
        #expect(error.field == .query("x") && error.reason.contains("64-bit"))
    }

    @Test func `a date outside of the years of RFC 3339 is an error that names the year`() throws {
        let error = try Endpoint.make(query: ["x": Date(timeIntervalSince1970: 253_402_300_800)]).generationError()
        #expect(error.field == .query("x") && error.reason.contains("the year 10000 has more than four digits"))
    }

    @Test func `the error contains the coding path of the invalid value`() throws {
        struct Bad: Encodable { var list = [1, .nan] }
        #expect(try Endpoint.make(query: ["a": ["b": Bad()] as ParameterList]).generationError().field == .query("a.b.list.1"))
        #expect(try Endpoint.make(query: ParameterList(Bad())).generationError().field == .query("list.1"))
    }

    @Test(arguments: [
        ParameterList([1, 2]), ParameterList("text"), ParameterList(7), ParameterList(Set([1])), ParameterList(Date()),
    ])
    func `a value without names cannot be a query`(parameters: ParameterList) throws {
        #expect(try Endpoint.make(query: parameters).generationError().field == .query(""))
    }

    @Test func `an array of objects cannot be joined by commas`() throws {
        let style = QueryStyle(arrays: .commaSeparated)
        #expect(try Endpoint.make(query: ["a": [["b": 1]]], style: style).generationError().field == .query("a"))
        #expect(try Endpoint.make(query: ["a": [[1], [2]]], style: style).generationError().field == .query("a"))
    }

    private final class Loop: Encodable, Sendable {
        enum Way: CaseIterable { case keyed, unkeyed, single, nestedKeyed, nestedUnkeyed, superEncoder }
        let way: Way
        init(_ way: Way) { self.way = way }

        func encode(to encoder: any Encoder) throws {
            switch way {
            case .keyed:
                var container = encoder.container(keyedBy: AnyKey.self)
                try container.encode(self, forKey: AnyKey("k"))
            case .unkeyed:
                var container = encoder.unkeyedContainer()
                try container.encode(self)
            case .single:
                var container = encoder.singleValueContainer()
                try container.encode(self)
            case .nestedKeyed:
                var container = encoder.container(keyedBy: AnyKey.self)
                for _ in 0..<10_000 { container = container.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("k")) }
            case .nestedUnkeyed:
                var container = encoder.unkeyedContainer()
                for _ in 0..<10_000 { container = container.nestedUnkeyedContainer() }
            case .superEncoder:
                var encoder = encoder
                for _ in 0..<10_000 {
                    var container = encoder.container(keyedBy: AnyKey.self)
                    encoder = container.superEncoder()
                }
            }
        }
    }

    @Test(arguments: Loop.Way.allCases)
    private func `a value that contains itself is an error`(way: Loop.Way) throws {
        let error = try Endpoint.make(query: ["x": Loop(way)]).generationError()
        guard case .query(let name) = error.field else { return #expect(Bool(false), "\(error)") }
        #expect(name.hasPrefix("x"))
        #expect(error.reason.contains("512 levels"))
    }

    @Test func `an error that a value throws is stored, and shown without secrets and the value`() throws {
        struct Failing: Encodable {
            struct Secret: Error { let text = "too long", password = "CANARY" }
            func encode(to encoder: any Encoder) throws { throw Secret() }
        }
        struct Invalid: Encodable {
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(
                    "CANARY", .init(codingPath: encoder.codingPath, debugDescription: "too long: CANARY"))
            }
        }
        let failing = try Endpoint.make(query: ["x": Failing()]).generationError()
        #expect(failing.field == .query("x") && failing.underlying is Failing.Secret)
        let invalid = try Endpoint.make(query: ["x": Invalid()]).generationError()
        #expect(invalid.field == .query("x") && invalid.underlying is EncodingError)
        for error in [failing, invalid] {
            #expect(!everyText(of: error).contains("CANARY") && error.reason.contains("too long"), "\(error)")
        }
    }
}

struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}
