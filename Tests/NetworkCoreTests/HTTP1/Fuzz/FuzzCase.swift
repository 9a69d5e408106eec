#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import TransferTestSupport

    /// One response of a fuzz run, and its expected outcome. The same seed, number and codings give the same case.
    struct FuzzCase {
        enum Expectation {
            case good(status: Int, body: Data)
            case bad(Set<TransportError.Code>)
            /// The response is mutated at random: any outcome except a hang or a crash is accepted.
            case any
        }

        enum End { case keeps, finishes, resets }

        let number: Int
        var method = RequestMethod.get
        var name = ""
        var bytes = Data()
        var expectation = Expectation.any
        /// Whether the connection must not be reused, even if the response is a success.
        var isSpent = false
        var end = End.keeps
        /// The offsets at which the sent bytes are split.
        var cuts: [Int] = []
        var waits = false

        /// - Parameter codings: The content codings that the client accepts.
        init(seed: UInt64, number: Int, codings: Set<String>) {
            var random = SeededGenerator(seed: seed &+ UInt64(number) &* 0x9E37_79B9)
            self.number = number
            method = Self.method(&random)
            let choice = random.below(100)
            let draft = FuzzDraft(&random, method: method, codings: codings)
            switch choice {
            case 0..<25: good(draft)
            case 25..<32: surplus(draft, &random)
            case 32..<62: defect(draft, &random)
            case 62..<95: mutation(draft, &random)
            default: noise(&random)
            }
            if random.chance(40) { cuts = (0...random.below(5)).map { _ in random.below(max(1, bytes.count)) }.sorted() }
            if random.chance(5) { cuts = Array(0..<min(80, bytes.count)) }
            waits = random.chance(20)
        }

        /// Whether the error may concern only the content coding, so that the message around it may be complete.
        func mayBeWhole(_ code: TransportError.Code) -> Bool {
            [.undecodableContent, .incompleteBody, .bodyTooLarge].contains(code) && !isSpent
                && String(decoding: bytes, as: UTF8.self).lowercased().contains("content-encoding")
        }

        /// Whether the response is read as a stream, which may be of any size.
        static func isStreamed(_ number: Int) -> Bool { number % 3 == 0 }

        /// Whether the client may wait for bytes that never arrive.
        var mayTimeOut: Bool {
            switch expectation {
            case .good: false
            case .bad(let codes): codes.contains(.timedOut)
            case .any: true
            }
        }

        private static func method(_ random: inout SeededGenerator) -> RequestMethod { random.chance(12) ? .head : .get }

        private mutating func good(_ draft: FuzzDraft) {
            name = "good"
            bytes = draft.interim + draft.head + draft.body
            expectation = .good(status: draft.status, body: draft.content)
            end = draft.framing == .untilEnd ? .finishes : .keeps
        }

        /// A valid response, followed by bytes that belong to no response.
        private mutating func surplus(_ draft: FuzzDraft, _ random: inout SeededGenerator) {
            good(draft)
            guard draft.framing != .untilEnd else { return }
            name = "surplus"
            bytes += random.pick([
                Data("x".utf8), Data("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong".utf8), Data(count: 3_000),
                Data("0\r\n\r\n".utf8),
            ])
            isSpent = true
        }

        private mutating func defect(_ draft: FuzzDraft, _ random: inout SeededGenerator) {
            let defect = random.pick(FuzzDefect.allCases)
            var damaged = draft
            guard var codes = defect.apply(to: &damaged, &random) else { return good(draft) }
            if defect == .lengthTooLarge, Self.isStreamed(number) { codes = [.incompleteBody, .timedOut] }
            name = "\(defect)"
            bytes = damaged.interim + damaged.head + damaged.body
            expectation = .bad(codes)
            isSpent = !defect.isWhole
            switch defect {
            case .cutHead:
                bytes = (damaged.interim + damaged.head)
                bytes = bytes.prefix(random.below(bytes.count))
                end = random.chance(50) ? .finishes : .resets
            case .cutBody:
                bytes = damaged.interim + damaged.head + damaged.body.prefix(random.below(damaged.longestCut + 1))
                end = draft.framing == .untilEnd || random.chance(50) ? .resets : .finishes
            default: end = damaged.framing == .untilEnd ? .finishes : random.pick([.keeps, .keeps, .finishes])
            }
        }

        /// Changes, duplicates or removes a few bytes of a valid response, or inserts tokens that are difficult to parse.
        private mutating func mutation(_ draft: FuzzDraft, _ random: inout SeededGenerator) {
            name = "mutation"
            var mutated = draft.interim + draft.head + draft.body
            // Mostly in the head, where most of the grammar is.
            let reach = random.chance(70) ? draft.interim.count + draft.head.count : mutated.count
            for _ in 0...random.below(4) where !mutated.isEmpty {
                let place = min(random.below(reach), mutated.count - 1)
                let length = min(1 + random.below(20), mutated.count - place)
                switch random.below(6) {
                case 0: mutated[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: mutated[place] ^= UInt8(1 << random.below(8))
                case 2: mutated.removeSubrange(place..<place + length)
                case 3: mutated.insert(contentsOf: Data(mutated[place..<place + length]), at: place)
                case 4: mutated.insert(contentsOf: random.pick(Self.tokens), at: place)
                default: mutated.replaceSubrange(place..<place + length, with: random.pick(Self.tokens))
                }
            }
            bytes = mutated
            end = random.chance(96) ? .finishes : .keeps
        }

        private mutating func noise(_ random: inout SeededGenerator) {
            name = "noise"
            bytes = Data((0..<random.below(400)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
            if random.chance(50) { bytes = Data("HTTP/1.1 200 OK\r\n".utf8) + bytes }
            end = random.chance(50) ? .finishes : .resets
        }

        private static let tokens: [Data] = [
            "\r\n", "\n", "\r", "\r\n\r\n", "\u{0}", "\t", " ", ":", ";", ",", "0\r\n\r\n", "HTTP/1.1 200 OK\r\n",
            "HTTP/1.1 101 Upgrade\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.0 200\r\n", "Transfer-Encoding: chunked\r\n",
            "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: identity\r\n", "Content-Length: 0\r\n",
            "Content-Length: -1\r\n", "Content-Length: 5, 5\r\n", "Content-Length: 99999999999999999999\r\n",
            "Content-Encoding: gzip\r\n", "Content-Encoding: gzip, gzip, br\r\n", "Connection: close\r\n",
            "Connection: upgrade\r\n", "Upgrade: h2c\r\n", "Location: /x\r\n", "Set-Cookie: a=b\r\n", "Trailer: X\r\n",
            "Keep-Alive: timeout=0\r\n", "Keep-Alive: timeout=99999999999999999999\r\n", " folded\r\n", "\r\n\tfolded",
            "ffffffffffffffff\r\n", "7fffffffffffffff\r\n", "Content-Length : 3\r\n", "no colon\r\n", ": no name\r\n",
        ].map { Data($0.utf8) }
    }
#endif
