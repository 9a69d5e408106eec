import Endpoints
import NetworkCore
import NetworkLogging
import NetworkSupport

/// An interceptor that reports events of each call to an observer, for metrics, logs and the ``Waterfall``.
///
/// Place it first in the list, so that it observes all other interceptors. It can be shared by several services; its copies
/// share the numbering of calls and the clock.
public struct ObservationInterceptor: NetworkInterceptor {
    private let calls: ObservedCalls

    /// Creates an interceptor that reports to an observer.
    package init(_ observer: any ExchangeObserver, clock: any Clock<Duration> = ContinuousClock()) {
        calls = ObservedCalls(observer, TimeSource(clock))
    }

    /// Sends the request and reports its events to the observer.
    public func intercept(
        _ request: consuming NetworkRequest, next: NetworkExchange
    ) async throws(TransportError) -> NetworkResponse {
        let record = ExchangeRecord(request, of: calls)
        request.addCallObserver(record)
        // Only a download checks digests.
        let checked: String? = if case .download = request.context.transferStep { request.origin } else { nil }
        do throws(TransportError) {
            var response = try await next(request)
            let status = ExchangeEvent.Outcome.status(response.statusCode)
            guard let checked else {
                response.observeEnd { error in record.end(error.map { .failure($0.code) } ?? status) }
                return response
            }
            noteDigests(in: response.headers, of: checked, record)
            response.observeEnd { [response] error in
                noteDigests(in: response.trailers, of: checked, record)
                record.end(error.map { .failure($0.code) } ?? status)
            }
            return response
        } catch {
            record.end(.failure(error.code))
            throw error
        }
    }

    /// Reports fields with digests that are malformed (RFC 9530 §2, §3), so that the body is not checked with them.
    private func noteDigests(in fields: HeaderFields, of origin: String, _ record: ExchangeRecord) {
        for name in DigestField.names where fields[name].map({ DigestField($0).isMalformed }) == true {
            record.receive(.ignored(field: name, origin: origin))
        }
    }
}

extension NetworkInterceptor where Self == ObservationInterceptor {
    /// Reports events of each call to an observer.
    ///
    /// - Parameters:
    ///   - observer: The observer that receives the events.
    ///   - clock: The clock for the times of events, which are measured from the creation of the interceptor.
    public static func observation(
        _ observer: any ExchangeObserver, clock: any Clock<Duration> = ContinuousClock()
    ) -> ObservationInterceptor {
        ObservationInterceptor(observer, clock: clock)
    }

    /// Reports events of each call to a closure.
    ///
    /// It is called in order for each call, on the thread on which the event occurs, and should return quickly.
    public static func observation(_ onEvent: @escaping @Sendable (ExchangeEvent) -> Void) -> ObservationInterceptor {
        ObservationInterceptor(ClosureObserver(onEvent: onEvent))
    }
}

/// An event of an observed call. It contains no query, no header field that could be secret, and no body.
public struct ExchangeEvent: Sendable {
    /// The kind of an event, with its details.
    public enum Kind: Sendable {
        /// The call has started, with the request that the service built.
        case queued
        /// The interceptors have processed the request, and an attempt starts. Attempts are counted from 1.
        case adapted(attempt: Int, headers: HeaderFields)
        /// The attempt has got a connection and the request is being sent.
        ///
        /// Reported when the attempt has ended, with the time at which it occurred.
        case sent(attempt: Int)
        /// The first byte of the response has arrived.
        ///
        /// Reported when the attempt has ended, with the time at which it occurred.
        case firstByte(attempt: Int)
        /// The attempt has followed a number of redirects.
        case redirected(attempt: Int, count: Int)
        /// An attempt has ended, with its outcome and timings.
        case attempted(attempt: Int, Outcome, TransferTimings?)
        /// Another attempt follows after a pause.
        case retried(after: Duration, because: String)
        /// A remark, for example about a malformed field that was ignored.
        ///
        /// That an informational response such as 103 was received is reported when the attempt has ended.
        case noted(String)
        /// The call has ended. A streamed response has been read to its end or released.
        case done(Outcome, attempts: Int)
    }

    /// The outcome of an attempt or a call.
    public enum Outcome: Sendable, Hashable {
        /// A response with this status was received.
        case status(Int)
        /// The attempt or call failed with this error.
        case failure(TransportError.Code)
    }

    /// The number of the call among those of one interceptor, counted from 1.
    public var exchange: Int
    /// The method of the request, such as `GET`.
    public var method: RequestMethod
    /// The origin and path of the URL, without query and user information.
    public var target: String {
        get { place.text }
        set { place = .text(newValue) }
    }
    private var place: ObservedPlace
    /// The time of the event since the creation of the interceptor.
    public var time: Duration
    /// The kind of the event.
    public var kind: Kind

    init(exchange: Int, method: RequestMethod, place: ObservedPlace, time: Duration, kind: __owned Kind) {
        self.exchange = exchange
        self.method = method
        self.place = place
        self.time = time
        self.kind = kind
    }
}

/// The origin and path of a call: the text is composed from the URL when it is first read.
enum ObservedPlace: RedactedStringConvertible, Sendable {
    /// The place of a call under observation. All its events share the text.
    case call(Locked<ObservedCall>)
    case text(String)

    /// The text, so that no description of an event contains the URL.
    var description: String { text }

    var text: String {
        switch self {
        case .text(let text): return text
        case .call(let call):
            let (known, url) = call.withLock { ($0.target, $0.url) }
            if let known { return known }
            let text = URLText(url).originAndPath
            call.withLock { $0.target = text }
            return text
        }
    }
}

/// The state of a call under observation. It does not contain the observer, which may keep events that refer to it.
struct ObservedCall: Sendable {
    let url: String
    /// The origin and path, once they were read.
    var target: String?
    var attempts = 0
    var began = Duration.zero
    /// What was received in the current attempt; at most 64 for each request that is sent.
    var notes: [String] = []
    var isOver = false

    init(url: String) { self.url = url }
}

/// An observer of the events of calls. Pass it to `.observation(_:)`, which also accepts a closure.
public protocol ExchangeObserver: Sendable {
    /// Called for each event, in order for each call, on the thread on which the event occurs. It should return quickly.
    func exchangeDidProgress(_ event: ExchangeEvent)
}

struct ClosureObserver: ExchangeObserver {
    let onEvent: @Sendable (ExchangeEvent) -> Void

    func exchangeDidProgress(_ event: ExchangeEvent) { onEvent(event) }
}

/// What all calls of an interceptor share.
final class ObservedCalls: Sendable {
    /// The maximum number of malformed fields that are reported. The number of origins is not bounded otherwise.
    private static let maximumMalformedFields = 1000

    let report: @Sendable (ExchangeEvent) -> Void
    let time: TimeSource
    private let lastNumber = Locked(0)
    private let malformed = Locked<Set<String>>([])

    init(_ observer: any ExchangeObserver, _ time: TimeSource) {
        if let closure = observer as? ClosureObserver { report = closure.onEvent } else { report = observer.exchangeDidProgress }
        self.time = time
    }

    /// Returns the number of a new call, counted from 1.
    func nextNumber() -> Int {
        lastNumber.withLock { number in
            number += 1
            return number
        }
    }

    /// Returns whether a malformed field of an origin is to be reported: each field once per origin.
    func isNew(malformed field: String, of origin: String) -> Bool {
        malformed.withLock { $0.count < Self.maximumMalformedFields && $0.insert("\(field) \(origin)").inserted }
    }
}

/// A call under observation. It turns the reports of interceptors and the session manager into events.
final class ExchangeRecord: CallObserver {
    private let number: Int
    private let method: RequestMethod
    private let calls: ObservedCalls
    private let state: Locked<ObservedCall>

    /// Begins a call, and reports it.
    init(_ request: borrowing NetworkRequest, of calls: ObservedCalls) {
        number = calls.nextNumber()
        method = request.method
        state = Locked(ObservedCall(url: request.urlText))
        self.calls = calls
        send(.queued)
    }

    func receive(_ event: CallEvent) {
        switch event {
        case .sent(let request, let ago): begin(request, ago)
        case .attempted(.success(let response)): endAttempt(.status(response.statusCode), response.timings)
        case .attempted(.failure(let error)): endAttempt(.failure(error.code), error.timings)
        case .informed(let response): note(response)
        case .retried(let delay, let reason): report(.retried(after: delay, because: reason))
        case .ignored(let field, let origin):
            guard calls.isNew(malformed: field, of: origin) else { return }
            report(.noted("the response's \(field) is malformed, and was ignored"))
        case .noted(let text): report(.noted(text))
        case .redirected, .shared, .stored: break
        }
    }

    /// Reports an event, unless the call has ended: a request may outlive the call for which it was started.
    private func report(_ kind: ExchangeEvent.Kind) {
        if !state.withLock({ $0.isOver }) { send(kind) }
    }

    private func send(_ kind: __owned ExchangeEvent.Kind, at time: Duration? = nil) {
        let time = time ?? calls.time.elapsed
        calls.report(ExchangeEvent(exchange: number, method: method, place: .call(state), time: time, kind: kind))
    }

    private func begin(_ request: NetworkRequest, _ ago: Duration) {
        let began = calls.time.elapsed - ago
        let (attempt, isOver) = state.withLock { state in
            state.attempts += 1
            state.began = began
            return (state.attempts, state.isOver)
        }
        if !isOver { send(.adapted(attempt: attempt, headers: request.headers.harmless), at: began) }
    }

    /// Stores a remark, which is reported when the attempt has ended: the observer must not run on the thread that moves bytes.
    private func note(_ response: InformationalResponse) {
        var names: [String] = []
        for field in response.headers.fields.prefix(8) {
            let name = field.name.printable
            if !names.contains(name) { names.append(name) }
        }
        let fields = names.isEmpty ? "" : " with \(names.joined(separator: ", "))"
        let note = "the server sent the informational response \(response.statusCode)\(fields)"
        state.withLock { $0.notes.append(note) }
    }

    private func endAttempt(_ outcome: ExchangeEvent.Outcome, _ timings: TransferTimings?) {
        let (attempt, began, notes, isOver) = state.withLock { state in
            defer { state.notes = [] }
            return (state.attempts, state.began, state.notes, state.isOver)
        }
        if isOver { return }
        var timings = timings
        timings?.attempt = attempt
        if let timings {
            let ready =
                began + (timings.queued ?? .zero) + (timings.nameLookup ?? .zero) + (timings.connect ?? .zero)
                + (timings.tls ?? .zero)
            // With redirects, the phases are those of the last request alone, and its start is not known.
            if timings.redirects > 0 {
                send(.redirected(attempt: attempt, count: timings.redirects))
            } else if let firstByte = timings.firstByte {
                send(.sent(attempt: attempt), at: ready)
                send(.firstByte(attempt: attempt), at: ready + firstByte)
            }
        }
        for note in notes { send(.noted(note)) }
        send(.attempted(attempt: attempt, outcome, timings))
    }

    func end(_ outcome: ExchangeEvent.Outcome) {
        let (isFirst, attempts) = state.withLock { state in
            defer { state.isOver = true }
            return (!state.isOver, state.attempts)
        }
        if isFirst { send(.done(outcome, attempts: attempts)) }
    }
}

extension ObservationInterceptor: RedactedStringConvertible {}
