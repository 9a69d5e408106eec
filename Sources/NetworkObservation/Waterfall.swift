import Endpoints
import NetworkCore
import NetworkLogging
import NetworkSupport

/// A chart of the calls of a program, as an HTML page.
///
/// It has a row for each call, with the time it spent waiting, connecting, sending and receiving, and in pauses before
/// further attempts.
///
/// ```swift
/// let waterfall = Waterfall()
/// let service = DefaultDataTransferService(
///     configuration: api, interceptors: [.observation(waterfall), .retry()])
/// …
/// try Data(waterfall.html(title: "Import").utf8).write(to: file)
/// ```
///
/// The page is self-contained: it loads nothing and runs no script. It contains methods, origins, paths, statuses and times,
/// but no query, header field or body.
public final class Waterfall: ExchangeObserver {
    /// A time span in a row of the chart.
    struct Span: Sendable, Hashable {
        enum Kind: String, Sendable, CaseIterable {
            case queued, lookup, connect, tls, send, wait, receive, redirects, pause
        }

        var kind: Kind
        var begin: Duration
        var end: Duration
    }

    /// A row of the chart, for one call.
    struct Row: Sendable {
        var exchange: Int
        var method: RequestMethod
        var target: String
        var begin: Duration
        var end: Duration?
        var outcome: ExchangeEvent.Outcome?
        var attempts = 0
        var spans: [Span] = []
        var notes: [String] = []
        fileprivate var attemptBegan = Duration.zero
        fileprivate var pauseBegan: Duration?
    }

    private struct State {
        var rows: [Int: Row] = [:]
        var dropped = 0
    }

    private let state = Locked(State())
    private let maximumCalls: Int

    /// Creates a chart without any calls.
    ///
    /// - Parameter maximumCalls: The maximum number of rows. Later calls are only counted. Default: 2,000.
    public init(maximumCalls: Int = 2000) {
        self.maximumCalls = maximumCalls
    }

    /// Adds an event of an ``ObservationInterceptor`` to the chart.
    public func exchangeDidProgress(_ event: ExchangeEvent) {
        state.withLock { state in
            if case .queued = event.kind {
                guard state.rows.count < maximumCalls else {
                    state.dropped += 1
                    return
                }
                state.rows[event.exchange] = Row(
                    exchange: event.exchange, method: event.method, target: event.target, begin: event.time.bounded)
            }
            state.rows[event.exchange]?.take(event)
        }
    }

    /// The calls so far, in order, and the number of calls that were not recorded.
    var calls: (rows: [Row], dropped: Int) {
        state.withLock { state in (state.rows.values.sorted { $0.exchange < $1.exchange }, state.dropped) }
    }

    /// Returns the chart as an HTML page.
    public func html(title: String = "Requests") -> String {
        let (rows, dropped) = calls
        return WaterfallPage(title: title, rows: rows, dropped: dropped).text
    }
}

extension Waterfall.Row {
    fileprivate mutating func take(_ event: ExchangeEvent) {
        var event = event
        event.time = event.time.bounded
        switch event.kind {
        case .queued, .sent, .firstByte, .redirected: break
        case .adapted(let attempt, _):
            if let pauseBegan { add(.pause, from: pauseBegan, to: event.time) }
            pauseBegan = nil
            attempts = attempt
            attemptBegan = event.time
        case .attempted(_, _, let timings): addAttempt(timings, until: event.time)
        case .retried(_, let reason):
            pauseBegan = event.time
            note(reason)
        case .noted(let text): note(text)
        case .done(let outcome, _):
            if let pauseBegan { add(.pause, from: pauseBegan, to: event.time) }
            // The time in which the body of a stream was read.
            if let last = spans.last, last.end < event.time, pauseBegan == nil { add(.receive, from: last.end, to: event.time) }
            self.outcome = outcome
            end = event.time
        }
    }

    private mutating func addAttempt(_ timings: TransferTimings?, until end: Duration) {
        guard let timings, timings.redirects == 0 else {
            add(timings == nil ? .wait : .redirects, from: attemptBegan, to: end)
            return
        }
        var position = attemptBegan
        let phases: [(Waterfall.Span.Kind, Duration?)] = [
            (.queued, timings.queued), (.lookup, timings.nameLookup), (.connect, timings.connect), (.tls, timings.tls),
            (.send, timings.send), (.wait, timings.wait),
        ]
        for (kind, duration) in phases {
            guard let duration else { continue }
            let next = min(position + duration.bounded, end)
            add(kind, from: position, to: next)
            position = next
        }
        add(timings.firstByte == nil ? .wait : .receive, from: position, to: end)
    }

    private mutating func add(_ kind: Waterfall.Span.Kind, from begin: Duration, to end: Duration) {
        if end > begin { spans.append(Waterfall.Span(kind: kind, begin: begin, end: end)) }
    }

    private mutating func note(_ text: String) {
        if notes.count < 20 { notes.append(text) }
    }
}

extension Waterfall: RedactedStringConvertible {}
