import DataTransfer
import Logging
import NetworkPipeline

/// Logs, metrics and traces of a service, over swift-log, swift-metrics and swift-distributed-tracing.
///
/// ```swift
/// let service = DefaultDataTransferService(configuration: api, serverKit: ServerKit(logger: logger))
/// ```
///
/// One kit may be shared by any number of services. Metrics go to the backend of `MetricsSystem`, traces to that of `InstrumentationSystem`, so
/// both should be bootstrapped first.
public struct ServerKit: Sendable {
    /// The logger of calls, attempts and failures; `nil` logs nothing. See ``SwiftLogLogger`` for the levels.
    public var logger: Logger?
    /// Measures requests; `nil` measures nothing. Default: the metrics of ``MetricsInstrument`` with default options.
    public var metrics: MetricsInstrument?
    /// Traces attempts; `nil` traces nothing. Default: spans of the tracer of `InstrumentationSystem`.
    public var tracing: TracingInstrument?

    /// Creates a kit.
    ///
    /// - Parameters:
    ///   - logger: The logger. Default: `nil`, which logs nothing.
    ///   - metrics: The metrics. Default: ``MetricsInstrument`` with default options.
    ///   - tracing: The traces. Default: ``TracingInstrument`` with the tracer of `InstrumentationSystem`.
    public init(
        logger: Logger? = nil, metrics: MetricsInstrument? = MetricsInstrument(),
        tracing: TracingInstrument? = TracingInstrument()
    ) {
        self.logger = logger
        self.metrics = metrics
        self.tracing = tracing
    }

    /// Returns a pipeline with the metrics and traces of this kit in addition to the instruments that it has.
    public func instrumented(_ pipeline: RequestPipeline = RequestPipeline()) -> RequestPipeline {
        var pipeline = pipeline
        switch (metrics, tracing) {
        case (let metrics?, let tracing?): pipeline.instruments.append(CombinedInstrument(metrics, tracing))
        case (let metrics?, nil): pipeline.instruments.append(metrics)
        case (nil, let tracing?): pipeline.instruments.append(tracing)
        case (nil, nil): break
        }
        return pipeline
    }

    /// Returns a service for `ServiceGroup` that closes a session manager on graceful shutdown, and until then measures its connections.
    ///
    /// - Parameters:
    ///   - session: The session manager.
    ///   - options: The grace period, and how often connections are counted.
    public func sessionService(
        for session: any ClosableSessionManager, options: SessionServiceOptions = SessionServiceOptions()
    ) -> SessionService {
        SessionService(session, options: options, logger: logger, metrics: metrics)
    }
}

extension ServerKit: RedactedStringConvertible {}

extension DefaultDataTransferService {
    /// Creates a service with the logs, metrics and traces of a kit.
    ///
    /// - Parameters:
    ///   - configuration: The base URL and defaults of the requests.
    ///   - sessionManager: Sends the requests. Default: the one that all services share.
    ///   - pipeline: The interceptors, to which the instruments of the kit are added. Default: those of `RequestPipeline()`.
    ///   - serverKit: The logs, metrics and traces.
    ///   - errorResolver: Replaces network errors with errors of the application. Default: `nil`.
    ///   - encoder: Encodes the JSON bodies for which the endpoint has no encoder. Default: `nil`, which is `.json`.
    ///   - decoder: Decodes JSON for endpoints without a decoder. Default: `nil`, which is a new `TransferJSONDecoder`.
    public init(
        configuration: any NetworkConfigurable,
        sessionManager: any NetworkSessionManager = DefaultSessionManager.shared,
        pipeline: RequestPipeline = RequestPipeline(),
        serverKit: ServerKit,
        errorResolver: (any DataTransferErrorResolver)? = nil,
        encoder: (any DataEncoder)? = nil,
        decoder: (any JSONDataDecoder)? = nil
    ) {
        let logger = serverKit.logger.map { SwiftLogLogger($0) }
        self.init(
            configuration: configuration, sessionManager: sessionManager,
            interceptors: serverKit.instrumented(pipeline).interceptors, networkLogger: logger, errorResolver: errorResolver,
            errorLogger: logger, encoder: encoder, decoder: decoder)
    }
}
