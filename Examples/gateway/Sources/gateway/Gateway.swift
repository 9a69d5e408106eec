import DataTransferServerKit
import Foundation
import Hummingbird
import Logging
import NIOCore

/// The HTTP server.
struct Gateway {
    private let upstreams: Upstreams
    private let metrics: PrometheusMetrics
    private let options: Options
    private let logger: Logger
    private let encoder = TransferJSONEncoder()

    init(_ upstreams: Upstreams, metrics: PrometheusMetrics, options: Options, logger: Logger) {
        self.upstreams = upstreams
        self.metrics = metrics
        self.options = options
        self.logger = logger
    }

    var application: some ApplicationProtocol {
        let router = Router()
        if options.isObserved {
            // Its spans are the parents of those of the requests to the upstreams.
            router.add(middleware: TracingMiddleware())
            router.add(middleware: MetricsMiddleware())
        }
        router.get("health") { _, _ in HTTPResponse.Status.ok }
        router.get("metrics") { [metrics] _, _ in
            response(ByteBuffer(string: metrics.text), "text/plain; version=0.0.4")
        }
        router.get("movies/:id") { [upstreams, encoder] _, context in
            let page = await upstreams.page(try context.parameters.require("id", as: Int.self))
            guard page.isFound else { throw HTTPError(.notFound) }
            return response(ByteBuffer(bytes: try encoder.encode(page)), "application/json")
        }
        return Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: options.port)),
            onServerRunning: { channel in announce("gateway", channel) }, logger: logger)
    }
}

private func response(_ body: ByteBuffer, _ type: String) -> Response {
    Response(status: .ok, headers: [.contentType: type], body: ResponseBody(byteBuffer: body))
}

/// Prints the address of a server, which programs that start this one wait for.
func announce(_ name: String, _ channel: any Channel) {
    FileHandle.standardOutput.write(Data("\(name) listens on http://127.0.0.1:\(channel.localAddress?.port ?? 0)\n".utf8))
}
