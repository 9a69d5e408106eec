import Endpoints
import NetworkCore
import NetworkLogging
import NetworkSupport

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
        case .attempted(.success(let response)): endAttempt(.status(response.statusCode), response.currentTimings)
        case .attempted(.failure(let error)): endAttempt(.failure(error.code), error.timings.map { CopyOnWrite($0) })
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

    private func endAttempt(_ outcome: ExchangeEvent.Outcome, _ timings: CopyOnWrite<TransferTimings>?) {
        let (attempt, began, notes, isOver) = state.withLock { state in
            defer { if !state.notes.isEmpty { state.notes = [] } }
            return (state.attempts, state.began, state.notes, state.isOver)
        }
        if isOver { return }
        if let timings {
            // With redirects, the phases are those of the last request alone, and its start is not known.
            if timings.value.redirects > 0 {
                send(.redirected(attempt: attempt, count: timings.value.redirects))
            } else if let firstByte = timings.value.firstByte {
                let ready = began + timings.value.untilReady
                send(.sent(attempt: attempt), at: ready)
                send(.firstByte(attempt: attempt), at: ready + firstByte)
            }
        }
        for note in notes { send(.noted(note)) }
        var timings = timings
        if let counted = timings?.value.attempt, counted != attempt { timings?.value.attempt = attempt }
        send(.attempted(attempt: attempt, outcome, timings?.value))
    }

    func end(_ outcome: ExchangeEvent.Outcome) {
        let (isFirst, attempts) = state.withLock { state in
            defer { state.isOver = true }
            return (!state.isOver, state.attempts)
        }
        if isFirst { send(.done(outcome, attempts: attempts)) }
    }
}

extension TransferTimings {
    /// The time from the beginning of the attempt until its request could be sent.
    fileprivate var untilReady: Duration {
        (queued ?? .zero) + (nameLookup ?? .zero) + (connect ?? .zero) + (tls ?? .zero)
    }
}
