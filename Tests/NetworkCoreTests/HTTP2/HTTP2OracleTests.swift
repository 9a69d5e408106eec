import Foundation
import NetworkSupport
import TestSupport
import Testing

@testable import NetworkEngine

/// Connections over HTTP/2, compared with those of libnghttp2: random responses, valid or with some bytes changed.
@Suite(.needs("libnghttp2, which libcurl brings with it", NGHTTP2Library.shared != nil)) struct HTTP2OracleTests {
    /// What the state machine makes of bytes.
    private static func outcome(of bytes: [UInt8]) -> (
        outcome: ComparedOutcome, failures: [HTTP2Failure]
    ) {
        var connection = HTTP2StateMachine()
        _ = connection.open(hasBody: false) { _, _ in }
        _ = connection.open(hasBody: true) { _, _ in }
        _ = connection.open(.head, hasBody: false) { _, _ in }
        var (outcome, failures) = (ComparedOutcome(), [HTTP2Failure]())
        bytes.withUnsafeBytes { input in
            var offset = 0
            while true {
                switch connection.next(input, at: &offset) {
                case .needsMore: return
                case .frame, .settings, .writable, .pong: continue
                case .interim(let id, _), .head(let id, _), .trailers(let id):
                    outcome.add("fields \(Self.fields(connection.block))", to: id.number)
                case .data(let id, let range):
                    outcome.add("data \(String(decoding: input[range], as: UTF8.self))", to: id.number)
                    connection.take(range.count, of: id)
                case .end(let id): outcome.add("end", to: id.number)
                case .reset(let id, let code): outcome.add("reset \(code.rawValue)", to: id.number)
                case .failedStream(let id, let failure):
                    outcome.add("failed", to: id.number)
                    failures.append(failure)
                case .goAway(let code):
                    outcome.add("goaway \(code.rawValue)", to: 0)
                    for id in connection.takeUnprocessed() { outcome.add("unprocessed", to: id.number) }
                case .failed(let failure):
                    outcome.hasFailed = true
                    failures.append(failure)
                    return
                }
            }
        }
        return (outcome, failures)
    }

    private static func fields(_ block: FieldBlock) -> String {
        String(decoding: block.lines, as: UTF8.self).components(separatedBy: "\r\n").filter { !$0.isEmpty }.map { line in
            if line.hasPrefix("HTTP/2 ") { return ":status=\(line.dropFirst(7).dropLast())" }
            let colon = line.range(of: ": ")
            return colon.map { "\(line[..<$0.lowerBound])=\(line[$0.upperBound...])" } ?? line
        }.joined(separator: "; ")
    }

    /// Why an outcome may differ: by the beginning of one of our errors.
    private static let differingErrors = [
        "WINDOW_UPDATE opens the stream": "a stream error (RFC 9113 §6.9), there one of the connection",
        "content arrives before the head": "a stream error (RFC 9113 §8.1.1), there one of the connection",
        "content arrives after the end": "a stream error (RFC 9113 §5.1), there one of the connection",
        "fields arrive after the end": "a stream error (RFC 9113 §5.1), there one of the connection",
        "a padded DATA frame": "an error (RFC 9113 §6.1), there ignored if the stream is closed",
        "the padding of a DATA frame": "an error (RFC 9113 §6.1), there ignored if the stream is closed",
        "a window is larger": "an error of the connection (RFC 9113 §6.9.2), there one of the stream",
        "a second GOAWAY": "an error (RFC 9113 §6.8), there ignored",
    ]

    /// Why an outcome may differ: by the frames.
    private static func difference(_ frames: [RandomServerFrames.Frame]) -> String? {
        var (replies, continuations) = (0, 0)
        for (header, payload) in frames {
            if header.kind == .settings && header.flags.contains(.acknowledgement) { replies += 1 }
            continuations = header.kind == .continuation ? continuations + 1 : 0
            if continuations > 8 { return "more than 8 CONTINUATION frames, there an error" }
            if header.kind == .goAway, payload.count >= 4, case let last = payload.withUnsafeBytes({ $0.bigEndian(at: 0) }),
                last & 0x7FFF_FFFF > 0, last % 2 == 0
            {
                return "GOAWAY names a stream of the server, there an error"
            }
            let isPadded = header.kind == .headers && header.flags.contains(.padded)
            let hasPriority = header.kind == .priority || header.kind == .headers && header.flags.contains(.priority)
            let priority = payload.dropFirst(isPadded ? 1 : 0)
            if hasPriority, priority.count >= 4, priority.withUnsafeBytes({ $0.bigEndian(at: 0) }) & 0x7FFF_FFFF == header.stream
            {
                return "a stream depends on itself: priorities are ignored (RFC 9113 §5.3), there an error"
            }
        }
        return replies > 1 ? "a reply to SETTINGS that were not sent, there an error" : nil
    }

    /// Why an outcome may differ; `nil` if it may not.
    private static func difference(
        _ outcome: ComparedOutcome, _ other: ComparedOutcome, _ failures: [HTTP2Failure],
        _ frames: [RandomServerFrames.Frame]
    ) -> String? {
        if let why = difference(frames) { return why }
        if other.streams.values.joined().contains(where: { $0.hasPrefix("fields :status=0") }) {
            return "a status below 100 (RFC 9110 §15), there accepted"
        }
        for (start, why) in differingErrors where failures.contains(where: { $0.message.hasPrefix(start) }) { return why }
        let heads = outcome.streams.values.joined().filter { $0.hasPrefix("fields ") }
        for head in heads {
            let fields = head.dropFirst("fields ".count).components(separatedBy: "; ")
            if fields.count(where: { $0.hasPrefix("content-length=") }) > 1 {
                return "a length twice (RFC 9110 §8.6), there an error"
            }
            if fields.contains(where: { $0.hasPrefix("te=") && $0 != "te=trailers" }) {
                return "TE in a response, there an error"
            }
            // As over HTTP/1.1: the length of what has no body, and one among the trailers, mean nothing.
            guard fields[0].hasPrefix(":status=1") || fields[0] == ":status=204" || !fields[0].hasPrefix(":status") else {
                continue
            }
            if head.contains("content-length=") { return "a length that means nothing (RFC 9110 §6.5.1, §8.6), there an error" }
        }
        return outcome.streams[0] != nil && outcome.hasFailed ? "bytes after GOAWAY and the last stream, there ignored" : nil
    }

    @Test func `libnghttp2 makes the same of random responses`() throws {
        let seed = UInt64.random(in: 0...(1 << 40))
        var random = SeededGenerator(seed: seed)
        var (same, differing, unexpected) = (0, [String: Int](), 0)
        for number in 0..<runs(5_000, slow: 100_000) {
            let (bytes, frames) = RandomServerFrames.whole(&random)
            let (ours, failures) = Self.outcome(of: bytes)
            let theirs = try #require(NGHTTP2Session()).outcome(of: bytes)
            if ours.isSame(as: theirs) {
                same += 1
            } else if let why = Self.difference(ours, theirs, failures, frames) {
                differing[why, default: 0] += 1
            } else {
                let messages = failures.map(\.message).joined(separator: "\n")
                Issue.record("ours:\n\(ours)\n\(messages)\ntheirs:\n\(theirs)\nseed \(seed), number \(number): \(bytes)")
                unexpected += 1
                if unexpected == 5 { return }
            }
        }
        #expect(differing.values.allSatisfy { $0 < same / 20 })
    }
}
