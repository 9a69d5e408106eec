import CoreMetrics
import DataTransferServerKit
import Foundation
import Hummingbird
import Logging
import ServiceLifecycle
import Tracing
import UnixSignals

@main
enum Main {
    static func main() async throws {
        let options: Options
        do throws(Options.Invalid) {
            options = try Options(CommandLine.arguments.dropFirst())
        } catch {
            FileHandle.standardError.write(Data("gateway: \(error.reason)\n\(Options.usage)".utf8))
            exit(2)
        }
        var logger = Logger(label: "gateway") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = options.logLevel
        if options.runsUpstream {
            try await run([DemoUpstream.application(port: options.port, logger: logger)], logger)
            return
        }
        let metrics = PrometheusMetrics()
        MetricsSystem.bootstrap(metrics)
        InstrumentationSystem.bootstrap(LogTracer(logger))

        var services: [any Service] = []
        if options.startsDemo {
            services.append(DemoUpstream.application(port: options.upstreamPort, logger: logger))
        }
        let kit = options.isObserved ? ServerKit(logger: logger) : ServerKit(metrics: nil, tracing: nil)
        let session = DefaultSessionManager(
            configuration: SessionConfiguration { $0.maximumConnectionsPerHost = 256 })
        // Services shut down in the opposite order: the server ends its responses, for which it may need the session manager.
        services.append(kit.sessionService(for: session))
        let upstreams = try Upstreams(options, session: session, kit: kit)
        services.append(Gateway(upstreams, metrics: metrics, options: options, logger: logger).application)
        try await run(services, logger)
    }

    private static func run(_ services: [any Service], _ logger: Logger) async throws {
        let group = ServiceGroup(services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        try await group.run()
    }
}
