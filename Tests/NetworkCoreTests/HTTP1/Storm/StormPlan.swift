#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import TransferTestSupport

    /// One exchange of a storm: what the client requests and how, and what the server does each time the request arrives.
    /// The same seed and number give the same plan.
    struct StormPlan: Sendable {
        enum Face: Equatable {
            case buffered
            case completion
            case streamed
            /// Reads this number of chunks, stops until the server cannot send more, and reads the rest.
            case stops(after: Int)
            /// Reads this number of chunks, and abandons the rest.
            case abandons(after: Int)
        }

        enum Content: Equatable {
            case none
            case data
            case stream(isAnnounced: Bool)
        }

        let id: Int
        var method = RequestMethod.get
        var content = Content.none
        /// The size of the request's body, in bytes.
        var contentSize = 0
        var sendsClose = false
        var face = Face.buffered
        /// The time from the call until the client cancels it.
        var cancelAfter: Duration?
        /// How long the client waits before the call.
        var pause: Duration?
        /// The responses to the first and to the second arrival of the request.
        var responses: [StormResponse]

        /// The response to an arrival, counted from 1.
        func response(_ attempt: Int) -> StormResponse { responses[min(max(attempt, 1), responses.count) - 1] }

        var isIdempotent: Bool { method.isIdempotent }

        /// Whether the server stops sending, so that the client needs a short timeout.
        var isSilent: Bool {
            responses.contains { response in
                if case .silent = response.fate { true } else { false }
            }
        }

        static let shortTimeout = Duration.milliseconds(250)
    }

    extension StormPlan {
        init(seed: UInt64, id: Int) {
            var random = SeededGenerator(seed: seed &+ UInt64(id) &* 0x9E37_79B9)
            self.id = id
            responses = []
            method = random.pick([
                .get, .get, .get, .get, .head, .put, .put, .post, .post, .post, .delete, .patch,
            ])
            if [.put, .post, .patch].contains(method) {
                content = random.pick([.data, .data, .stream(isAnnounced: true), .stream(isAnnounced: false)])
                contentSize = random.size()
            }
            sendsClose = random.chance(3)
            face = random.pick([
                .buffered, .buffered, .buffered, .completion, .completion, .streamed, .streamed, .streamed,
                .abandons(after: random.below(3)),
            ])
            if random.chance(5) { cancelAfter = .microseconds(random.below(4_000)) }
            if random.chance(25) { pause = .microseconds(random.below(4_000)) }
            if random.below(500) == 0, method != .head {
                face = .stops(after: random.below(3))
                cancelAfter = nil
            }
            responses = [response(&random), response(&random)]
        }

        private func response(_ random: inout SeededGenerator) -> StormResponse {
            var response = StormResponse()
            response.seed = random.next()
            response.status = random.chance(85) ? 200 : random.pick([201, 204, 304, 404, 500, 503])
            response.framing = random.pick([.length, .length, .chunks, .chunks, .untilEnd])
            response.isVersion10 = random.chance(3)
            response.isGzip = random.chance(8)
            response.size = response.isGzip ? random.below(20_000) : random.size()
            if random.chance(12) { response.interim = (0...random.below(3)).map { _ in random.pick([100, 102, 103]) } }
            response.sendsClose = random.chance(8)
            response.sendsKeepAlive = random.chance(8)
            response.hasTrailers = random.chance(40)
            response.parts = random.chance(60) ? 1 : random.chance(85) ? 1 + random.below(6) : 100
            response.waits = random.chance(25)
            response.fate = fate(&random)
            response.after = after(&random)
            if case .stops = face {
                response.status = 200
                response.fate = .whole
                response.isGzip = false
                response.size = StormBytes.largest - random.below(500_000)
            }
            return settled(response)
        }

        private func fate(_ random: inout SeededGenerator) -> StormResponse.Fate {
            switch random.below(100) {
            case 0..<72: .whole
            case 72..<88: .ends(random.pick(StormResponse.Place.allCases), isReset: random.chance(50))
            case 88: .silent(random.pick(StormResponse.Place.allCases))
            case 89..<93: .cutCoding
            case 93..<95: .upgrade
            default: .early(random.pick(StormResponse.Early.allCases))
            }
        }

        private func after(_ random: inout SeededGenerator) -> StormResponse.After {
            switch random.below(100) {
            case 0..<58: .keep
            case 58..<70: .close(Int32(random.below(8)))
            case 70..<80: .reset(Int32(random.below(8)))
            case 80..<88: .pushJoined(random.pick(StormResponse.Push.allCases))
            default: .pushLater(random.pick(StormResponse.Push.allCases), Int32(random.below(12)))
            }
        }

        /// Replaces impossible combinations: bodies of HEAD, chunks in HTTP/1.0, a truncation that cannot be detected.
        private func settled(_ response: StormResponse) -> StormResponse {
            var response = response
            if case .early = response.fate, contentSize == 0 { response.fate = .whole }
            if response.fate == .cutCoding {
                response.isGzip = true
                response.size = 1 + response.size % 20_000
            }
            if !response.hasBody(method) {
                response.framing = .length
                response.isGzip = false
                switch response.fate {
                case .cutCoding, .ends(.insideBody, _), .silent(.insideBody): response.fate = .whole
                default: break
                }
            }
            if response.isVersion10 {
                if response.framing == .chunks { response.framing = .length }
                response.interim = []
            }
            if case .ends(.insideBody, _) = response.fate { response.size = max(1, response.size) }
            if case .silent(.insideBody) = response.fate { response.size = max(1, response.size) }
            // The end of the connection is the end of such a body, unless it is a reset.
            if response.framing == .untilEnd, response.fate == .ends(.insideBody, isReset: false) {
                response.fate = .ends(.insideBody, isReset: true)
            }
            return response
        }
    }

    extension StormPlan: CustomStringConvertible {
        var description: String {
            let body = content == .none ? "" : " with \(contentSize) bytes (\(content))"
            let cancel = cancelAfter.map { ", cancelled after \($0)" } ?? ""
            return
                "\(method) \(id)\(body)\(sendsClose ? " and Connection: close" : ""), \(face)\(cancel); first \(responses[0]), "
                + "then \(responses[1])"
        }
    }

    extension SeededGenerator {
        /// Returns the size of a body: mostly small, 1 MiB in one of a hundred cases.
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
