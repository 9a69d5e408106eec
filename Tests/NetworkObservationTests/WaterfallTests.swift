import DataTransfer
import Foundation
import NetworkCore
import NetworkTesting
import Testing

@testable import NetworkObservation

@Suite(.timeLimit(.minutes(10))) struct WaterfallTests {
    private let waterfall = Waterfall()

    private func report(_ exchange: Int, _ milliseconds: Int, _ kind: ExchangeEvent.Kind, target: String = "https://a.test/x") {
        waterfall.exchangeDidProgress(
            ExchangeEvent(exchange: exchange, method: .get, place: .text(target), time: .milliseconds(milliseconds), kind: kind))
    }

    @Test func `the time of a call is divided into its phases`() throws {
        report(1, 0, .queued)
        report(1, 1, .adapted(attempt: 1, headers: [:]))
        let first = TransferTimings(
            queued: .milliseconds(2), nameLookup: .milliseconds(3), connect: .milliseconds(4), tls: .milliseconds(5),
            send: .milliseconds(2), firstByte: .milliseconds(6), total: .milliseconds(25))
        report(1, 26, .attempted(attempt: 1, .status(503), first))
        report(1, 26, .retried(after: .milliseconds(10), because: "status 503"))
        report(1, 36, .adapted(attempt: 2, headers: [:]))
        report(1, 46, .attempted(attempt: 2, .failure(.connectionLost), nil))
        report(1, 47, .done(.failure(.connectionLost), attempts: 2))
        let row = try #require(waterfall.calls.rows.first)
        let spans = row.spans.map { "\($0.kind) \($0.begin / .milliseconds(1))-\($0.end / .milliseconds(1))" }
        #expect(
            spans == [
                "queued 1.0-3.0", "lookup 3.0-6.0", "connect 6.0-10.0", "tls 10.0-15.0", "send 15.0-17.0", "wait 17.0-21.0",
                "receive 21.0-26.0",
                "pause 26.0-36.0", "wait 36.0-46.0", "receive 46.0-47.0",
            ])
        #expect(row.attempts == 2 && row.notes == ["status 503"])
    }

    @Test func `phases longer than their attempt are truncated`() throws {
        report(1, 0, .queued)
        report(1, 0, .adapted(attempt: 1, headers: [:]))
        report(1, 5, .attempted(attempt: 1, .status(200), TransferTimings(connect: .seconds(9), firstByte: .seconds(9))))
        report(1, 5, .done(.status(200), attempts: 1))
        #expect(waterfall.calls.rows[0].spans.map(\.kind) == [.connect])
    }

    @Test func `the texts of a call are escaped in the HTML page`() {
        report(1, 0, .queued, target: "https://a.test/<script>alert('1')</script>\"&")
        report(1, 0, .noted("<img src=x onerror=1>"))
        let page = waterfall.html(title: "<b>")
        #expect(!page.contains("<script") && !page.contains("<img") && !page.contains("<b>&") && page.contains("&lt;script&gt;"))
        #expect(page.hasPrefix("<!doctype html>"))
    }

    @Test func `a page is created without calls and with a call in progress`() {
        #expect(waterfall.html().contains("0 calls"))
        report(1, 3, .queued)
        #expect(waterfall.html().contains("in progress"))
    }

    @Test func `calls beyond the limit are counted but not drawn`() {
        let small = Waterfall(maximumCalls: 2)
        for exchange in 1...5 {
            small.exchangeDidProgress(
                ExchangeEvent(exchange: exchange, method: .get, place: .text("https://a.test/"), time: .zero, kind: .queued))
            small.exchangeDidProgress(
                ExchangeEvent(
                    exchange: exchange, method: .get, place: .text("https://a.test/"), time: .zero,
                    kind: .done(.status(200), attempts: 1)))
        }
        #expect(small.calls.rows.count == 2 && small.calls.dropped == 3)
        #expect(small.html().contains("3 more not drawn"))
    }

    @Test func `the page for calls to a server contains no secrets`() async throws {
        let server = try LoopbackServer { request in request.path == "/missing" ? .status(404) : .text("ok") }
        let service = DefaultNetworkService(
            configuration: APIConfiguration(
                baseURL: server.url, headers: ["Authorization": "Bearer s3cr3t"], queryParameters: ["token": "s3cr3t"]),
            sessionManager: DefaultSessionManager(), interceptors: [.observation(waterfall)])
        for path in ["a", "b", "missing"] { _ = try? await service.response(for: Endpoint<Void>(path: path)) }
        let page = waterfall.html(title: "Run")
        #expect(page.contains("3 calls") && page.contains("1 failed") && page.contains("/missing") && !page.contains("s3cr3t"))
        #expect(page.contains("class=\"connect\" style"))
    }
}
