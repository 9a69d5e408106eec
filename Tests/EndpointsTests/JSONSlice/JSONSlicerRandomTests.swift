import Endpoints
import Foundation
import Testing
import TestSupport

/// Compares the slicer with `JSONDecoder`: both find the same values and refuse the same documents.
@Suite struct JSONSlicerRandomTests {
    @Test(arguments: 0..<8 as Range<UInt64>)
    func `a slice decodes to the same value as nested containers of JSONDecoder`(seed: UInt64) throws {
        var random = RandomJSON(seed: seed)
        for _ in 0..<runs(60, slow: 250) {
            let document = random.document()
            for _ in 0..<4 {
                let path = random.path()
                let expected = try ReferenceOutcome.of(path, in: Data(document.utf8))
                #expect(outcome(of: path, in: Data(document.utf8)) == expected, "\(path) in \(document.debugDescription)")
            }
        }
    }

    private func outcome(of path: JSONKeyPath, in data: Data) -> ReferenceOutcome? {
        do {
            let slice = try JSONSlicer().slice(of: data, at: path)
            return .value(try JSONDecoder().decode(AnyJSON.self, from: slice))
        } catch let error as JSONSliceError {
            switch error.kind {
            case .pathNotFound, .indexOutOfRange: return .missing
            case .typeMismatch: return .wrongType
            default: return nil
            }
        } catch {
            return nil
        }
    }

    @Test(arguments: 100..<108 as Range<UInt64>)
    func `a damaged document is refused if and only if JSONDecoder refuses it`(seed: UInt64) {
        var random = RandomJSON(seed: seed, repeatsNames: false)
        for _ in 0..<runs(150, slow: 700) {
            let document = damaged(Array(random.document().utf8), &random)
            let isWellFormed = (try? JSONDecoder().decode(AnyJSON.self, from: Data(document))) != nil
            for path in [JSONKeyPath(""), random.path()] {
                do {
                    _ = try JSONSlicer().slice(of: Data(document), at: path)
                    #expect(isWellFormed || hasOddNumber(document), "accepted \(text(document))")
                } catch {
                    switch error.kind {
                    case .pathNotFound, .indexOutOfRange, .typeMismatch:
                        #expect(isWellFormed || hasOddNumber(document), "\(error) \(text(document))")
                    default:
                        #expect(!isWellFormed || isStricter(document, error), "\(error) \(text(document))")
                    }
                }
            }
        }
    }

    private func text(_ document: [UInt8]) -> String {
        String(decoding: document, as: UTF8.self).debugDescription
    }

    private func damaged(_ document: [UInt8], _ random: inout RandomJSON) -> [UInt8] {
        var document = document
        for _ in 0..<Int.random(in: 1...3, using: &random.random) {
            let place = Int.random(in: 0...document.count, using: &random.random)
            let byte = random.pick(Array("\"\\{}[],:0129.-+eEutfn \n\u{0}\u{1f}".utf8) + [0x80, 0xC3, 0xED, 0xF0, 0xFF, 0xBF])
            switch Int.random(in: 0..<4, using: &random.random) {
            case 0: document.insert(byte, at: place)
            case 1 where place < document.count: document[place] = byte
            case 2 where place < document.count: document[place] ^= 1 << UInt8.random(in: 0..<8, using: &random.random)
            case 3 where place < document.count: document.remove(at: place)
            default: document.append(byte)
            }
        }
        return document
    }

    /// JSONDecoder refuses numbers that their type cannot represent, and some zeros with an exponent, such as `0e3` for Double.
    /// Both are valid JSON syntax (RFC 8259 §6).
    private func hasOddNumber(_ document: [UInt8]) -> Bool {
        let text = String(decoding: document, as: UTF8.self)
        return text.contains(/[eE][+-]?[0-9]{3}/) || text.contains(/(^|[^0-9.])0(\.0+)?[eE]/)
    }

    /// JSONDecoder accepts a comma before a closing bracket, which RFC 8259 §4 and §5 do not allow, and ignores a truncated
    /// UTF-16 code unit at the end.
    private func isStricter(_ document: [UInt8], _ error: JSONSliceError) -> Bool {
        if document.prefix(4).contains(0) { return document.count % 2 == 1 }
        guard let offset = error.byteOffset, offset < document.count, "]}".utf8.contains(document[offset]) else { return false }
        return document[..<offset].last { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: ",")
    }

    @Test func `random bytes are accepted if and only if JSONDecoder accepts them`() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<runs(1000, slow: 3000) {
            let bytes = (0..<Int.random(in: 0..<24, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            let isWellFormed = (try? JSONDecoder().decode(AnyJSON.self, from: Data(bytes))) != nil
            let isAccepted = (try? JSONSlicer().slice(of: Data(bytes), at: "")) != nil
            #expect(isAccepted == isWellFormed, "\(bytes)")
        }
    }
}

/// The result of following a path with the containers of `JSONDecoder`.
private enum ReferenceOutcome: Equatable, Decodable {
    case value(AnyJSON)
    case missing
    case wrongType

    private static let pathKey = CodingUserInfoKey(rawValue: "path")

    static func of(_ path: JSONKeyPath, in data: Data) throws -> ReferenceOutcome {
        let decoder = JSONDecoder()
        if let key = pathKey { decoder.userInfo[key] = path.components }
        return try decoder.decode(ReferenceOutcome.self, from: data)
    }

    init(from decoder: any Decoder) throws {
        var decoder = decoder
        let components = Self.pathKey.flatMap { decoder.userInfo[$0] as? [JSONKeyPath.Component] } ?? []
        for component in components {
            switch component {
            case .index(let index):
                guard var container = try? decoder.unkeyedContainer() else {
                    self = .wrongType
                    return
                }
                guard index < container.count ?? 0 else {
                    self = .missing
                    return
                }
                for _ in 0..<index { _ = try container.decode(AnyJSON.self) }
                decoder = try container.superDecoder()
            case .key(let name), .token(let name):
                guard let container = try? decoder.container(keyedBy: AnyJSON.Key.self) else {
                    self = .wrongType
                    return
                }
                guard container.contains(AnyJSON.Key(name)) else {
                    self = .missing
                    return
                }
                decoder = try container.superDecoder(forKey: AnyJSON.Key(name))
            }
        }
        self = .value(try AnyJSON(from: decoder))
    }
}
