import DataTransfer
import Foundation
import NetworkTesting
import Testing

@testable import grab

@Suite(.timeLimit(.minutes(10)))
struct ExitStatusTests {
    private let place: Workplace
    private let server: LoopbackServer

    init() throws {
        place = try Workplace()
        server = try LoopbackServer {
            LoopbackRoute(.get, "/cut") { _ in .text("hello").fault(.truncateBody(after: 2)) }
            LoopbackRoute(.get, "/empty") { _ in .text("hello").fault(.truncateHead(after: 0)) }
            LoopbackRoute(.get, "/hang") { _ in .text("hello").fault(.stall) }
            LoopbackRoute(.get, "/large") { _ in .text("hello") }
            LoopbackRoute(.get, "/loop") { _ in .status(302, headers: ["Location": "/loop"]) }
            LoopbackRoute(.get, "/moved") { _ in .status(302, headers: ["Location": "/large"]) }
            LoopbackRoute(.get, "/error") { _ in .text("no such film", status: 404) }
        }
    }

    @Test(
        arguments: [
            (0, ["/large"]), (2, ["/large", "--unknown"]), (2, ["/large", "-u", "name:password"]),
            (2, ["/large", "-H", "no colon"]),
            (18, ["/cut"]), (22, ["/error"]), (22, ["/error", "-o", "-", "-f"]), (0, ["/error", "-o", "-"]), (22, ["/moved"]),
            (0, ["/moved", "-L"]), (23, ["/large", "-o", "missing/file"]), (28, ["/hang", "-m", "0.2"]), (47, ["/loop", "-L"]),
            (52, ["/empty"]), (63, ["/large", "--max-filesize", "2"]), (67, ["/large", "-u", "name"]),
            (110, ["/large", "--sha256", "00"]),
        ] as [(Int32, [String])])
    func `the exit code says what failed`(code: Int32, arguments: [String]) async throws {
        // A malformed digest is an error of usage.
        let expected = arguments.contains("00") ? 2 : code
        var arguments = arguments
        arguments[0] = server.url(arguments[0]).absoluteString
        let result = try await GrabProcess(arguments, in: place.url).result()
        #expect(result.status == expected, "\(result.errors)")
        #expect(code == 0 || !result.errors.isEmpty)
        #expect(code == 0 || place.names.allSatisfy { $0.hasPrefix(".") })
    }

    @Test func `hosts without an address and closed ports have their codes`() async throws {
        #expect(try await place.grab("http://no-such-host.invalid/").status == 6)
        let port = server.port
        server.stop()
        #expect(try await place.grab("http://127.0.0.1:\(port)/").status == 7)
    }

    @Test(arguments: [(.selfSigned, 60), (.wrongHost, 60), (.pinMismatch, 90), (.protocolVersion, 35)] as [(TLSFailure, Int32)])
    func `failures of TLS have curl's codes`(failure: TLSFailure, code: Int32) {
        let error = TransportError(.tlsFailed, "refused", tlsFailure: failure)
        #expect(ExitStatus(DataTransferError.networkFailure(.transport(error))).rawValue == code)
    }
}
