import Endpoints
import Foundation
import NetworkTransport

/// What `URLSession` measures of one request and its response: the properties of `URLSessionTaskTransactionMetrics` that are read.
///
/// Dates are `nil` for phases that did not take place, such as connecting on a reused connection.
protocol TransactionMetrics {
    var domainLookupStartDate: Date? { get }
    var domainLookupEndDate: Date? { get }
    var connectStartDate: Date? { get }
    /// The beginning of the TLS handshake, which is before `connectEndDate`.
    var secureConnectionStartDate: Date? { get }
    var secureConnectionEndDate: Date? { get }
    var connectEndDate: Date? { get }
    var requestStartDate: Date? { get }
    var requestEndDate: Date? { get }
    var responseStartDate: Date? { get }
    var countOfRequestBodyBytesSent: Int64 { get }
    var networkProtocolName: String? { get }
    var isReusedConnection: Bool { get }
    var remoteAddress: String? { get }
    var remotePort: Int? { get }
}

extension TransferTimings {
    /// Creates the timings of the phases of one request. `queued`, `total` and the counts of bytes are left at their defaults.
    init(_ metrics: some TransactionMetrics) {
        func time(_ start: Date?, _ end: Date?) -> Duration? {
            guard let start, let end else { return nil }
            // The system's clock can be set in between. A year is longer than any transfer.
            return .nanoseconds(Int64((min(max(0, end.timeIntervalSince(start)), 31_536_000) * 1e9).rounded()))
        }
        self.init(
            nameLookup: time(metrics.domainLookupStartDate, metrics.domainLookupEndDate),
            connect: time(metrics.connectStartDate, metrics.secureConnectionStartDate ?? metrics.connectEndDate),
            tls: time(metrics.secureConnectionStartDate, metrics.secureConnectionEndDate),
            send: metrics.countOfRequestBodyBytesSent > 0 ? time(metrics.requestStartDate, metrics.requestEndDate) : nil,
            firstByte: time(metrics.requestStartDate, metrics.responseStartDate),
            protocolName: metrics.networkProtocolName,
            isReusedConnection: metrics.isReusedConnection,
            serverAddress: metrics.remoteAddress.map {
                // Without the zone of a link-local address, `%en0`.
                NetworkResponse.ServerAddress(
                    address: String($0.prefix { $0 != "%" }), port: metrics.remotePort ?? 0)
            })
    }
}

extension URLSessionExchange {
    /// Receives the metrics of the task, which has one entry for each time that `URLSession` sent the request. The last one led to the
    /// response.
    func receive(_ transactions: [some TransactionMetrics]) {
        guard let last = transactions.last else { return }
        update { $0.timings = TransferTimings(last) }
    }
}
