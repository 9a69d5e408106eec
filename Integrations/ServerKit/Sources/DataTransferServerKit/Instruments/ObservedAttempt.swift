import DataTransfer
import NetworkPipeline
import Tracing

/// One attempt of a call that is measured, traced, or both.
///
/// It refers to what all attempts of an endpoint share through its call alone: each further reference would be counted in memory that all
/// threads write.
final class ObservedAttempt: InstrumentedAttempt {
    private let call: ObservedCall
    private let began = ContinuousClock.now
    private let number: Int
    /// The span; `nil` if the attempt is not traced.
    private let span: (any Span)?
    /// The start of the span in nanoseconds since 1970.
    private let spanBegan: UInt64
    private let url: RedactedURL
    /// The method, if it is not known, so that each span contains it.
    private let originalMethod: String?

    /// Begins an attempt, and writes the context of its span to the header fields of the request.
    init(_ call: ObservedCall, _ request: inout NetworkRequest, number: Int) {
        self.call = call
        self.number = number
        url = request.redactedURL
        if let source = call.source, let template = call.endpoint.template {
            let began = DefaultTracerClock.now
            let span = source.tracer.startSpan(
                template.name, context: call.parent ?? .topLevel, ofKind: .client, at: began)
            source.instrument.inject(span.context, into: &request.headers, using: HeaderInjector())
            self.span = span
            spanBegan = began.nanosecondsSinceEpoch
            originalMethod = template.isMethodUnknown ? request.method.rawValue : nil
        } else {
            span = nil
            spanBegan = 0
            originalMethod = nil
        }
        call.endpoint.series?.beginAttempt(number: number)
    }

    func end(_ response: NetworkResponse?, _ error: TransportError?) {
        let timings = response?.timings ?? error?.timings
        let outcome = SpanOutcome(
            status: response?.statusCode, error: error?.code.rawValue, protocolName: timings?.protocolName)
        let duration = nanoseconds(began.duration(to: .now))
        call.endpoint.series?.endAttempt(
            status: outcome.status, error: outcome.error, queued: timings?.queued, nanoseconds: duration)
        guard let span else { return }
        if span.isRecording { record(outcome, error, timings, in: span) }
        // Not the time of the system's clock, which may have been set meanwhile.
        span.end(at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: spanBegan &+ UInt64(max(0, duration))))
    }

    private func record(_ outcome: SpanOutcome, _ error: TransportError?, _ timings: TransferTimings?, in span: any Span) {
        guard var attributes = call.endpoint.template?.attributes(of: outcome) else { return }
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
        if let timings, timings.redirects == 0 { addEvents(timings, to: span) }
    }

    private func addEvents(_ timings: TransferTimings, to span: any Span) {
        var end = spanBegan
        func add(_ name: String, _ duration: Duration?) {
            guard let duration else { return }
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
