import Endpoints
import Testing

@Suite struct TransferProgressTests {
    struct Case: Sendable {
        var sent: Int64
        var toSend: Int64?
        var received: Int64
        var toReceive: Int64?
        var fraction: Double?

        init(_ sent: Int64, _ toSend: Int64?, _ received: Int64, _ toReceive: Int64?, _ fraction: Double?) {
            (self.sent, self.toSend, self.received, self.toReceive, self.fraction) = (sent, toSend, received, toReceive, fraction)
        }
    }

    @Test(
        arguments: [
            Case(0, 0, 0, nil, nil), Case(0, 0, 0, 100, 0), Case(0, 0, 50, 100, 0.5), Case(0, 0, 50, nil, nil),
            Case(0, 200, 0, nil, 0), Case(50, 200, 0, nil, 0.25), Case(200, 200, 0, nil, 1), Case(200, 200, 0, 200, 0.5),
            Case(200, 200, 50, nil, nil), Case(200, 200, 200, 200, 1), Case(5, nil, 0, nil, nil), Case(0, 0, 0, 0, 1),
            Case(0, 0, 150, 100, 1), Case(0, .max, 0, .max, nil),
        ])
    func `the fraction is computed from the known totals`(row: Case) {
        let progress = TransferProgress(
            bytesSent: row.sent, totalBytesToSend: row.toSend, bytesReceived: row.received, totalBytesToReceive: row.toReceive)
        #expect(progress.fraction == row.fraction)
    }

    @Test func `the remaining time is computed from the recent rate`() {
        var progress = TransferProgress(bytesSent: 100, totalBytesToSend: 400, recentBytesPerSecond: 50)
        #expect(progress.timeRemaining == .seconds(6))
        progress.recentBytesPerSecond = 0
        #expect(progress.timeRemaining == nil)
        progress.recentBytesPerSecond = .leastNonzeroMagnitude
        #expect(progress.timeRemaining == .seconds(3_155_760_000))
        progress.recentBytesPerSecond = 50
        progress.totalBytesToSend = nil
        #expect(progress.timeRemaining == nil)
        progress.totalBytesToSend = 100
        #expect(progress.timeRemaining == .zero)
    }
}
