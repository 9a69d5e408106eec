import DataTransfer
import Foundation
import NetworkCore
import NetworkTesting

/// Stubs, fixtures and the manual clock.
extension ExtremeCall {
    private static let url = URL(string: "https://api.test/a")!

    private struct Mocked: MockEndpoint {
        typealias Response = String
        var mockFileName: String
        var request: RequestDescription { .get("a") }
        var responseDecoder: any ResponseDecoder { .text }
    }

    static let stubs: [ExtremeCall] = [
        ExtremeCall(
            "ManualClock.Instant.init(offset:)", "ManualClock.Instant.advanced(by:)", "ManualClock.Instant.duration(to:)",
            "ManualClock.advance(by:)", "ManualClock.sleep(until:tolerance:)", "ManualClock.waitForSleepers(count:)"
        ) {
            for (time, other) in Extreme.pairs(Extreme.durations, Extreme.durations, usual: (.seconds(1), .seconds(2))) {
                let instant = ManualClock.Instant(offset: time)
                _ = instant.duration(to: ManualClock.Instant(offset: other))
                _ = instant.advanced(by: other).advanced(by: other)
                let clock = ManualClock()
                for _ in 0..<30 { clock.advance(by: time) }
                await cancelling { try await clock.sleep(until: instant.advanced(by: other), tolerance: other) }
                await cancelling { try await clock.sleep(for: other) }
            }
            for count in Extreme.integers { await cancelling { await ManualClock().waitForSleepers(count: count) } }
        },
        ExtremeCall(
            "StubFixtures.init(bundle:folder:)", "StubFixtures.init(folder:source:)", "StubFixtures.data(_:extension:)",
            "StubResponse.file(_:extension:in:status:headers:)", "StubSessionManager.route(_:with:from:status:headers:)"
        ) {
            let api = APIConfiguration(baseURL: url)
            for text in Extreme.texts {
                for fixtures in [
                    StubFixtures(bundle: .main, folder: text), StubFixtures(folder: text, source: text),
                    StubFixtures(folder: FileManager.default.temporaryDirectory),
                ] {
                    _ = try? fixtures.data(text, extension: text)
                    _ = try? StubResponse.file(text, extension: text, in: fixtures)
                    try? StubSessionManager().route(Mocked(mockFileName: text), with: api, from: fixtures, status: .min)
                }
            }
        },
        ExtremeCall(
            "StubResponse.init(status:headers:body:)", "StubResponse.json(_:status:headers:)",
            "StubResponse.json(encoding:status:headers:encoder:)", "StubResponse.text(_:status:headers:)",
            "StubResponse.data(_:contentType:status:headers:)", "StubResponse.status(_:headers:)",
            "StubSessionManager.enqueue(_:for:method:)", "StubSessionManager.route(_:for:method:)"
        ) {
            for status in Extreme.integers {
                for stub in [
                    StubResponse(status: status), .json("1", status: status), try .json(encoding: 1, status: status),
                    .text("a", status: status), .data(Data(), status: status), .status(status),
                ] {
                    let session = StubSessionManager()
                    session.enqueue(stub)
                    _ = try? await session.response(for: NetworkRequest(url: url))
                }
            }
            for text in Extreme.texts {
                let session = StubSessionManager()
                session.enqueue(.text(text), for: text, method: RequestMethod(text))
                session.route(.data(Data(), contentType: text), for: text)
                session.enqueue(.json(text))
                session.enqueue(try .json(encoding: text))
                for _ in 0..<3 { _ = try? await session.response(for: NetworkRequest(url: url)) }
            }
        },
    ]
}
