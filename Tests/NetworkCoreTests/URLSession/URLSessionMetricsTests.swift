import Foundation
import Testing

@testable import NetworkTransport
@testable import NetworkURLSession

extension URLSessionTests {
    @Suite struct URLSessionMetricsTests {
        @Test func `each phase is the time between its dates`() {
            let timings = TransferTimings(FakeMetrics.make())
            #expect(timings.nameLookup == .milliseconds(2))
            #expect(timings.connect == .milliseconds(3))
            #expect(timings.tls == .milliseconds(5))
            #expect(timings.send == .milliseconds(7))
            #expect(timings.firstByte == .milliseconds(18))
            #expect(timings.wait == .milliseconds(11))
            #expect(timings.protocolName == "h2" && timings.isReusedConnection == false)
            #expect(timings.serverAddress == NetworkResponse.ServerAddress(address: "192.0.2.7", port: 443))
        }

        @Test func `without TLS, connecting ends with the connection`() {
            var metrics = FakeMetrics.make()
            (metrics.secureConnectionStartDate, metrics.secureConnectionEndDate) = (nil, nil)
            let timings = TransferTimings(metrics)
            #expect(timings.connect == .milliseconds(8) && timings.tls == nil)
        }

        @Test func `a reused connection has neither lookup nor connect nor TLS`() {
            var metrics = FakeMetrics.make()
            (metrics.domainLookupStartDate, metrics.domainLookupEndDate) = (nil, nil)
            (metrics.connectStartDate, metrics.connectEndDate) = (nil, nil)
            (metrics.secureConnectionStartDate, metrics.secureConnectionEndDate) = (nil, nil)
            metrics.isReusedConnection = true
            let timings = TransferTimings(metrics)
            #expect(timings.nameLookup == nil && timings.connect == nil && timings.tls == nil)
            #expect(timings.isReusedConnection == true && timings.firstByte == .milliseconds(18))
        }

        @Test func `a request without a body has no time of sending`() {
            var metrics = FakeMetrics.make()
            metrics.countOfRequestBodyBytesSent = 0
            #expect(TransferTimings(metrics).send == nil)
        }

        @Test func `a phase that has not ended has no time`() {
            var metrics = FakeMetrics.make()
            metrics.responseStartDate = nil
            #expect(TransferTimings(metrics).firstByte == nil)
        }

        @Test func `a clock that was set backward or far forward gives times within limits`() {
            var metrics = FakeMetrics.make()
            metrics.domainLookupEndDate = .distantPast
            metrics.responseStartDate = Date(timeIntervalSinceReferenceDate: .greatestFiniteMagnitude)
            let timings = TransferTimings(metrics)
            #expect(timings.nameLookup == .zero)
            #expect(timings.firstByte == .seconds(31_536_000))
        }

        @Test func `an address has no zone, and a port that is not known is zero`() {
            var metrics = FakeMetrics.make()
            (metrics.remoteAddress, metrics.remotePort) = ("fe80::1%en0", nil)
            #expect(TransferTimings(metrics).serverAddress == NetworkResponse.ServerAddress(address: "fe80::1", port: 0))
            metrics.remoteAddress = nil
            #expect(TransferTimings(metrics).serverAddress == nil)
        }

        @Test func `the metrics of the last transaction are those of the response`() throws {
            let driven = try DrivenExchange(.unsent())
            var first = FakeMetrics.make()
            (first.networkProtocolName, first.isReusedConnection) = ("http/1.1", true)
            driven.receive(204)
            driven.exchange.receive([first, .make()])
            driven.exchange.receive([FakeMetrics]())
            let timings = try driven.complete().get().timings
            #expect(timings.protocolName == "h2" && timings.isReusedConnection == false && timings.tls == .milliseconds(5))
        }
    }
}

/// The measurements of one transaction.
struct FakeMetrics: TransactionMetrics {
    var domainLookupStartDate: Date?
    var domainLookupEndDate: Date?
    var connectStartDate: Date?
    var secureConnectionStartDate: Date?
    var secureConnectionEndDate: Date?
    var connectEndDate: Date?
    var requestStartDate: Date?
    var requestEndDate: Date?
    var responseStartDate: Date?
    var countOfRequestBodyBytesSent: Int64 = 10
    var networkProtocolName: String? = "h2"
    var isReusedConnection = false
    var remoteAddress: String? = "192.0.2.7"
    var remotePort: Int? = 443

    /// A request over a new connection: 2 ms of lookup, 3 of connecting, 5 of TLS, 7 of sending, and 11 of waiting.
    static func make() -> FakeMetrics {
        func date(_ milliseconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: milliseconds / 1000) }
        return FakeMetrics(
            domainLookupStartDate: date(0), domainLookupEndDate: date(2), connectStartDate: date(2),
            secureConnectionStartDate: date(5), secureConnectionEndDate: date(10), connectEndDate: date(10),
            requestStartDate: date(10), requestEndDate: date(17), responseStartDate: date(28))
    }
}
