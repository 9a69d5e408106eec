import DataTransfer
import Foundation
import NetworkCore
import NetworkTesting
import TransferTestSupport

/// The loopback server and its faults.
extension ExtremeCall {
    private static let session = DefaultSessionManager()

    /// Sends one request to a server, which may not respond.
    private static func sendRequest(_ server: LoopbackServer, _ path: String = "/") async {
        var request = NetworkRequest(url: URL(string: path, relativeTo: server.url)?.absoluteURL ?? server.url)
        request.timeouts.total = .milliseconds(30)
        _ = try? await session.response(for: request)
        server.stop()
    }

    private static func serve(_ response: LoopbackResponse) async throws {
        try await sendRequest(LoopbackServer { _ in response })
    }

    static let loopback: [ExtremeCall] = [
        ExtremeCall(
            "LoopbackServer.init(port:configuration:routes:)", "LoopbackServer.init(port:configuration:handler:)",
            "LoopbackServer.url(_:)"
        ) {
            for port in [0, .max] as [UInt16] {
                (try? LoopbackServer(port: port))?.stop()
                (try? LoopbackServer(port: port) { (_: LoopbackRequest) in .text("") })?.stop()
            }
            let server = try LoopbackServer()
            for text in Extreme.texts { describe(server.url(text)) }
            server.stop()
        },
        ExtremeCall(
            "LoopbackServerConfiguration.init(maximumHeadBytes:maximumBodyBytes:maximumRecordedRequests:sendsContinue:backlog:behavior:)"
        ) {
            for number in Extreme.integers {
                for configuration in [
                    LoopbackServerConfiguration(maximumHeadBytes: number), LoopbackServerConfiguration(maximumBodyBytes: number),
                    LoopbackServerConfiguration(maximumRecordedRequests: number), LoopbackServerConfiguration(backlog: number),
                ] {
                    guard let server = try? LoopbackServer(configuration: configuration, handler: { _ in .text("") }) else {
                        continue
                    }
                    await sendRequest(server)
                }
            }
        },
        ExtremeCall(
            "LoopbackServer.waitForRequests(count:)", "LoopbackServer.waitForOpenConnections(count:)"
        ) {
            let server = try LoopbackServer()
            for count in Extreme.integers {
                await cancelling { await server.waitForRequests(count: count) }
                await cancelling { await server.waitForConnections(count: count) }
                await cancelling { await server.waitForOpenConnections(count: count) }
            }
            server.stop()
        },
        ExtremeCall("LoopbackRoute.init(_:_:inOrder:_:)") {
            for text in Extreme.texts { describe(LoopbackRoute(.get, text, inOrder: .text(text), .text("last"))) }
            let server = try LoopbackServer { LoopbackRoute(.get, "/{a}", inOrder: .text("only")) }
            await sendRequest(server, "/a")
        },
        ExtremeCall("LoopbackRoute.init(_:_:handler:)") {
            for text in Extreme.texts {
                let request = LoopbackRequest(target: text, version: text, connectionID: .min, pathParameters: [text: text])
                describe(request)
                _ = (request.path, request.query, request.queryItems)
                describe(LoopbackRoute(.get, text) { (_: LoopbackRequest) in .text("") })
            }
            for text in Extreme.shortTexts {
                await sendRequest(try LoopbackServer { LoopbackRoute(.get, text) { (_: LoopbackRequest) in .text("") } }, "/a/b")
            }
        },
        ExtremeCall(
            "LoopbackFault.truncateHead(after:)", "LoopbackFault.truncateBody(after:)", "LoopbackFault.resetHead(after:)",
            "LoopbackFault.resetBody(after:)", "LoopbackFault.stallHead(after:)", "LoopbackFault.stallBody(after:)"
        ) {
            for number in Extreme.integers {
                for fault in [
                    LoopbackFault.truncateHead(after: number), .truncateBody(after: number), .resetHead(after: number),
                    .resetBody(after: number), .stallHead(after: number), .stallBody(after: number),
                ] { try await serve(.text("abc").fault(fault)) }
            }
        },
        ExtremeCall(
            "LoopbackFault.headerLine(bytes:)", "LoopbackFault.headerLines(count:)", "LoopbackFault.garbage(bytes:)",
            "LoopbackFault.contentLengths(_:)", "LoopbackFault.badChunkSize(_:)"
        ) {
            for number in Extreme.integers {
                let faults = [LoopbackFault.headerLine(bytes: number), .headerLines(count: number), .garbage(bytes: number)]
                for fault in faults {
                    describe(fault)
                    // The largest faults take long to create, and their descriptions are checked above.
                    if number < 100_000 { try await serve(.text("abc").fault(fault)) }
                }
            }
            for text in Extreme.texts {
                try await serve(.text("abc").fault(.contentLengths(text, text)))
                try await serve(.text("abc").fault(.badChunkSize(text)))
            }
        },
        ExtremeCall("LoopbackFault.drip(bytes:every:)", "LoopbackFault.dripHead(bytes:every:)", "LoopbackResponse.delayed(by:)") {
            for number in Extreme.integers {
                try await serve(.text("abc").fault(.drip(bytes: number, every: .nanoseconds(1))))
                try await serve(.text("abc").fault(.dripHead(bytes: number, every: .nanoseconds(1))))
            }
            for time in Extreme.durations {
                try await serve(.text("abc").fault(.drip(bytes: 1, every: time)))
                try await serve(.text("abc").delayed(by: time))
            }
        },
        ExtremeCall(
            "LoopbackResponse.interim(_:_:)", "LoopbackResponse.header(_:for:)",
            "LoopbackResponse.init(status:reason:headers:body:)", "LoopbackResponse.status(_:headers:)",
            "LoopbackResponse.text(_:status:)", "LoopbackResponse.json(_:status:)",
            "LoopbackResponse.data(_:contentType:status:)", "LoopbackResponse.chunked(_:trailers:status:headers:)"
        ) {
            for status in Extreme.integers {
                for response in [
                    LoopbackResponse.status(status), .text("a", status: status), .json("1", status: status),
                    .data(Data(), status: status), .chunked([Data("a".utf8)], status: status),
                    LoopbackResponse.text("a").interim(status),
                ] { try await serve(response) }
            }
            for (number, text) in Extreme.texts.enumerated() {
                let responses = [
                    LoopbackResponse(reason: text), .text(text), .json(text), .data(Data(), contentType: text),
                    LoopbackResponse.text("a").header(text, for: text), .chunked([Data("a".utf8)], trailers: [text: text]),
                ]
                // Usually, two of them for each text.
                for (kind, response) in responses.enumerated() where isSlowRun || (kind + number) % 3 == 0 {
                    try await serve(response)
                }
            }
        },
        ExtremeCall {
            for text in Extreme.texts { describe(LoopbackServerError(operation: text, code: .min)) }
        },
    ]
}
