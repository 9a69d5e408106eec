import Foundation
import NetworkLogging
import Testing

private struct MinimalLogger: NetworkErrorLogger {
    func log(error: any Error, for request: LoggedRequest?) {}
}

private struct MinimalDoubleLogger: NetworkErrorLogger, DataTransferErrorLogger {
    func log(error: any Error, for request: LoggedRequest?) {}
    func log(error: any Error) {}
}

struct LoggerProtocolTests {
    @Test func `a logger needs only one method and is enabled by default`() {
        let logger: any NetworkErrorLogger = MinimalLogger()
        #expect(logger.isEnabled)
    }

    @Test func `a logger of both layers does not have to implement isEnabled`() {
        let logger = MinimalDoubleLogger()
        #expect((logger as any NetworkErrorLogger).isEnabled)
        #expect((logger as any DataTransferErrorLogger).isEnabled)
    }

    @Test func `both protocols have a static member for the silent logger, which is not enabled`() {
        let network: any NetworkErrorLogger = .silent
        let transfer: any DataTransferErrorLogger = .silent
        #expect(!network.isEnabled)
        #expect(!transfer.isEnabled)
    }

    @Test func `levels are ordered from off to debug`() {
        #expect(LogLevel.allCases == [.off, .error, .info, .debug])
        #expect(LogLevel.off < .error && LogLevel.error < .info && LogLevel.info < .debug)
    }
}
