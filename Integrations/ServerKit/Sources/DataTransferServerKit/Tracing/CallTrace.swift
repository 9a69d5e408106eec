import DataTransfer
import Tracing

/// What the spans of one call need. They are children of the context of the caller's task.
struct CallTrace: Sendable {
    private let template: SpanTemplate
    private let tracer: any Tracer
    private let instrument: any Instrument
    private let parent: ServiceContext

    init(_ template: SpanTemplate, _ tracer: any Tracer, _ instrument: any Instrument) {
        self.template = template
        self.tracer = tracer
        self.instrument = instrument
        parent = ServiceContext.current ?? .topLevel
    }

    /// Begins the span of an attempt, and writes its context to the header fields of the request.
    func beginSpan(_ request: inout NetworkRequest, number: Int) -> AttemptSpan {
        let began = DefaultTracerClock.now
        let span = tracer.startSpan(template.name, context: parent, ofKind: .client, at: began)
        instrument.inject(span.context, into: &request.headers, using: HeaderInjector())
        return AttemptSpan(span: span, template: template, began: began, request: request, number: number)
    }
}

/// The span of one attempt.
struct AttemptSpan: Sendable {
    private let span: any Span
    private let template: SpanTemplate
    private let began: UInt64
    private let url: RedactedURL
    /// The method, if it is not known, so that each span contains it.
    private let originalMethod: String?
    private let number: Int

    init(span: any Span, template: SpanTemplate, began: DefaultTracerClock.Timestamp, request: NetworkRequest, number: Int) {
        self.span = span
        self.template = template
        self.began = began.nanosecondsSinceEpoch
        self.number = number
        url = request.redactedURL
        originalMethod = template.isMethodUnknown ? request.method.rawValue : nil
    }

    /// Sets the attributes of the span, and ends it.
    ///
    /// - Parameters:
    ///   - status: The status of the response; `nil` without a response.
    ///   - duration: The time since the span began.
    ///   - timings: The phases of the attempt; `nil` if they are not known.
    func end(status: Int?, error: TransportError?, _ timings: TransferTimings?, duration: Duration) {
        // Not the time of the system's clock, which may have been set meanwhile.
        let end = DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: began &+ UInt64(max(0, nanoseconds(duration))))
        defer { span.end(at: end) }
        guard span.isRecording else { return }
        let outcome = SpanOutcome(status: status, error: error?.code.rawValue, protocolName: timings?.protocolName)
        var attributes = template.attributes(of: outcome)
        attributes.set(Convention.url, value: .stringConvertible(url))
        if let originalMethod { attributes.set(Convention.originalMethod, value: .string(originalMethod)) }
        if number > 1 { attributes.set(Convention.resendCount, value: .int64(Int64(number - 1))) }
        if outcome.errorType != nil { span.setStatus(SpanStatus(code: .error, message: error?.message)) }
        // Set at once: each change of a span's attributes may copy all of them.
        if span.attributes.isEmpty {
            span.attributes = attributes
        } else {
            span.updateAttributes { $0.merge(attributes) }
        }
        if let timings, timings.redirects == 0 { addEvents(timings) }
    }

    private func addEvents(_ timings: TransferTimings) {
        var end = began
        func add(_ name: String, _ duration: Duration?) {
            guard let duration, duration > .zero else { return }
            end &+= UInt64(max(0, nanoseconds(duration)))
            span.addEvent(SpanEvent(name: name, at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: end)))
        }
        // Passing a request to the thread that sends it takes some microseconds, in which it does not wait for a connection.
        if let queued = timings.queued, queued >= .milliseconds(1) { add("http.queue", queued) }
        add("http.lookup", timings.nameLookup)
        add("http.connect", timings.connect)
        add("http.tls", timings.tls)
        add("http.first_byte", timings.firstByte)
    }
}
