#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore

    /// One exchange of a storm: what the client asks for and how, and what the server does each time the request arrives.
    /// The same seed and number give the same plan.
    struct StormPlan: Sendable {
        enum Face: Equatable {
            case buffered
            case completion
            case streamed
            /// Reads so many chunks, stops until the server has been held up, and reads the rest.
            case stops(after: Int)
            /// Reads so many chunks, and lets go of the rest.
            case letsGo(after: Int)
        }

        enum Content: Equatable {
            case none
            case data
            case stream(isAnnounced: Bool)
        }

        let id: Int
        var method = HTTPMethod.get
        var content = Content.none
        /// Of the request's body, in bytes.
        var contentSize = 0
        var saysClose = false
        var face = Face.buffered
        /// When the client cancels it, counted from the call.
        var cancelAfter: Duration?
        /// What the client does before it, for so long: nothing.
        var pause: Duration?
        /// For the first arrival, and for the second.
        var answers: [StormAnswer]

        /// The answer to an arrival, counted from 1.
        func answer(_ attempt: Int) -> StormAnswer { answers[min(max(attempt, 1), answers.count) - 1] }

        var isIdempotent: Bool { method.isIdempotent }

        /// Whether the server falls silent, so that the client has to have little patience.
        var isSilent: Bool {
            answers.contains { answer in
                if case .silent = answer.fate { true } else { false }
            }
        }

        static let shortPatience = Duration.milliseconds(250)
    }

    extension StormPlan {
        init(seed: UInt64, id: Int) {
            var random = SeededGenerator(seed: seed &+ UInt64(id) &* 0x9E37_79B9)
            self.id = id
            answers = []
            method = random.pick([
                .get, .get, .get, .get, .head, .put, .put, .post, .post, .post, .delete, .patch,
            ])
            if [.put, .post, .patch].contains(method) {
                content = random.pick([.data, .data, .stream(isAnnounced: true), .stream(isAnnounced: false)])
                contentSize = random.size()
            }
            saysClose = random.chance(3)
            face = random.pick([
                .buffered, .buffered, .buffered, .completion, .completion, .streamed, .streamed, .streamed,
                .letsGo(after: random.below(3)),
            ])
            if random.chance(5) { cancelAfter = .microseconds(random.below(4_000)) }
            if random.chance(25) { pause = .microseconds(random.below(4_000)) }
            if random.below(500) == 0, method != .head {
                face = .stops(after: random.below(3))
                cancelAfter = nil
            }
            answers = [answer(&random), answer(&random)]
        }

        private func answer(_ random: inout SeededGenerator) -> StormAnswer {
            var answer = StormAnswer()
            answer.seed = random.next()
            answer.status = random.chance(85) ? 200 : random.pick([201, 204, 304, 404, 500, 503])
            answer.framing = random.pick([.length, .length, .chunks, .chunks, .untilEnd])
            answer.isVersion10 = random.chance(3)
            answer.isGzip = random.chance(8)
            answer.size = answer.isGzip ? random.below(20_000) : random.size()
            if random.chance(12) { answer.interim = (0...random.below(3)).map { _ in random.pick([100, 102, 103]) } }
            answer.saysClose = random.chance(8)
            answer.saysKeepAlive = random.chance(8)
            answer.hasTrailers = random.chance(40)
            answer.parts = random.chance(60) ? 1 : random.chance(85) ? 1 + random.below(6) : 100
            answer.waits = random.chance(25)
            answer.fate = fate(&random)
            answer.after = after(&random)
            if case .stops = face {
                answer.status = 200
                answer.fate = .whole
                answer.isGzip = false
                answer.size = StormBytes.largest - random.below(500_000)
            }
            return settled(answer)
        }

        private func fate(_ random: inout SeededGenerator) -> StormAnswer.Fate {
            switch random.below(100) {
            case 0..<72: .whole
            case 72..<88: .ends(random.pick(StormAnswer.Place.allCases), isReset: random.chance(50))
            case 88: .silent(random.pick(StormAnswer.Place.allCases))
            case 89..<93: .cutCoding
            case 93..<95: .upgrade
            default: .early(random.pick(StormAnswer.Early.allCases))
            }
        }

        private func after(_ random: inout SeededGenerator) -> StormAnswer.After {
            switch random.below(100) {
            case 0..<58: .keep
            case 58..<70: .close(Int32(random.below(8)))
            case 70..<80: .reset(Int32(random.below(8)))
            case 80..<88: .pushJoined(random.pick(StormAnswer.Push.allCases))
            default: .pushLater(random.pick(StormAnswer.Push.allCases), Int32(random.below(12)))
            }
        }

        /// Takes out what cannot be: bodies of HEAD, chunks in HTTP/1.0, a cut that nobody could notice.
        private func settled(_ answer: StormAnswer) -> StormAnswer {
            var answer = answer
            if case .early = answer.fate, contentSize == 0 { answer.fate = .whole }
            if answer.fate == .cutCoding {
                answer.isGzip = true
                answer.size = 1 + answer.size % 20_000
            }
            if !answer.hasBody(method) {
                answer.framing = .length
                answer.isGzip = false
                switch answer.fate {
                case .cutCoding, .ends(.insideBody, _), .silent(.insideBody): answer.fate = .whole
                default: break
                }
            }
            if answer.isVersion10 {
                if answer.framing == .chunks { answer.framing = .length }
                answer.interim = []
            }
            if case .ends(.insideBody, _) = answer.fate { answer.size = max(1, answer.size) }
            if case .silent(.insideBody) = answer.fate { answer.size = max(1, answer.size) }
            // The end of the connection is the end of such a body, unless it is a reset.
            if answer.framing == .untilEnd, answer.fate == .ends(.insideBody, isReset: false) {
                answer.fate = .ends(.insideBody, isReset: true)
            }
            return answer
        }
    }

    extension StormPlan: CustomStringConvertible {
        var description: String {
            let body = content == .none ? "" : " with \(contentSize) bytes (\(content))"
            let cancel = cancelAfter.map { ", cancelled after \($0)" } ?? ""
            return "\(method) \(id)\(body)\(saysClose ? " and Connection: close" : ""), \(face)\(cancel); first \(answers[0]), "
                + "then \(answers[1])"
        }
    }

    extension SeededGenerator {
        mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }
        mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
        mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

        /// The size of a body: mostly small, 1 MiB once in a hundred times.
        mutating func size() -> Int {
            switch below(100) {
            case 0..<65: below(2_000)
            case 65..<92: below(20_000)
            case 92..<99: below(200_000)
            default: 1 << 20
            }
        }
    }
#endif
