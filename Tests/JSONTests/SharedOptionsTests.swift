import Foundation
import NetworkJSON
import Testing

/// Options that are replaced while other threads decode and encode. The model: each call uses the options of one moment, whole, and options
/// live as long as they are set or a call uses them; of replaced ones, at most one stays until its decoder or encoder is released.
@Suite struct `Options shared by calls` {
    /// A numbered object in the user info of options, which counts how many of them are alive.
    final class Marker: Sendable {
        static let key = CodingUserInfoKey(rawValue: "marker")!
        let number: Int
        let living: Counter

        init(_ number: Int, _ living: Counter) {
            (self.number, self.living) = (number, living)
            living.add(1)
        }

        deinit { living.add(-1) }
    }

    final class Counter: @unchecked Sendable {
        // Unchecked: `value` is accessed only while `lock` is held.
        private let lock = NSLock()
        private var value = 0
        func add(_ count: Int) { lock.withLock { value += count } }
        var count: Int { lock.withLock { value } }
    }

    /// The number of the marker, read twice in one call.
    struct Reading: Codable {
        var first: Int
        var second: Int

        init() { (first, second) = (0, 0) }

        init(from decoder: any Decoder) throws {
            first = Self.number(decoder.userInfo)
            var values = try decoder.unkeyedContainer()
            while !values.isAtEnd { _ = try values.decode(Int.self) }
            second = Self.number(decoder.userInfo)
        }

        func encode(to encoder: any Encoder) throws {
            var values = encoder.unkeyedContainer()
            try values.encode(Self.number(encoder.userInfo))
            for value in 0..<20 { try values.encode(value) }
            try values.encode(Self.number(encoder.userInfo))
        }

        static func number(_ info: [CodingUserInfoKey: Any]) -> Int { (info[Marker.key] as? Marker)?.number ?? -1 }
    }

    static let text = Data("[\((0..<50).map(String.init).joined(separator: ","))]".utf8)

    @Test(.timeLimit(.minutes(10)))
    func `a call uses the options of one moment, and replaced options are released`() {
        let living = Counter()
        for round in 0..<20 {
            do {
                let (decoder, encoder) = (TransferJSONDecoder(), TransferJSONEncoder())
                decoder.userInfo = [Marker.key: Marker(0, living)]
                encoder.userInfo = [Marker.key: Marker(0, living)]
                DispatchQueue.concurrentPerform(iterations: 5) { thread in
                    for step in 1...200 {
                        switch thread {
                        case 0 where round % 2 == 1:
                            decoder.userInfo = [Marker.key: Marker(step, living)]
                            encoder.userInfo = [Marker.key: Marker(step, living)]
                        case 1, 2:
                            let reading = try? decoder.decode(Reading.self, from: Self.text)
                            #expect(reading != nil && reading?.first == reading?.second && reading?.first != -1)
                        case 3, 4:
                            let numbers = (try? encoder.encode(Reading())).flatMap {
                                try? JSONDecoder().decode([Int].self, from: $0)
                            }
                            #expect(numbers != nil && numbers?.first == numbers?.last && numbers?.first != -1)
                        default: break
                        }
                    }
                }
                #expect(living.count <= 4)
            }
            #expect(living.count == 0)
        }
    }

    @Test func `options apply to the next call, before and after the first`() throws {
        struct Moment: Codable { var date: Date }
        let (decoder, encoder) = (TransferJSONDecoder(), TransferJSONEncoder())
        let text = Data(#"{"date":5000}"#.utf8)
        decoder.dateDecodingStrategy = .secondsSince1970
        encoder.dateEncodingStrategy = .secondsSince1970
        for seconds in [5000.0, 5000, 5, 5] {
            if seconds == 5 {
                decoder.dateDecodingStrategy = .millisecondsSince1970
                encoder.dateEncodingStrategy = .millisecondsSince1970
            }
            let moment = try decoder.decode(Moment.self, from: text)
            #expect(moment.date == Date(timeIntervalSince1970: seconds))
            #expect(try encoder.encode(moment) == text)
        }
    }
}
