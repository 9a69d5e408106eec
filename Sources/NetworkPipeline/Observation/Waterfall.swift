import Endpoints
import Foundation
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

/// The HTML page of a waterfall chart. It runs no script, loads nothing, and supports light and dark mode.
struct WaterfallPage {
    let title: String
    let rows: [Waterfall.Row]
    let dropped: Int

    var text: String {
        let end = rows.flatMap { row in row.spans.map(\.end) + [row.end ?? row.begin] }.max() ?? .zero
        let begin = rows.map(\.begin).min() ?? .zero
        let length = max(Self.milliseconds(end - begin), 0.001)
        let body = rows.map { line($0, begin, length) }.joined(separator: "\n")
        let failures = rows.filter { if case .status(let status) = $0.outcome { status >= 400 } else { true } }.count
        let retries = rows.reduce(0) { $0 + max($1.attempts - 1, 0) }
        let summary =
            "\(rows.count) calls in \(Self.time(length)), \(failures) failed, \(retries) retries"
            + (dropped > 0 ? ", \(dropped) more not drawn" : "")
        let legend = Waterfall.Span.Kind.allCases.map {
            "<span class=\"key\"><i class=\"\($0.rawValue)\"></i>\(Self.name($0))</span>"
        }
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <title>\(Self.escaped(title))</title>
            <style>
            \(Self.style)
            </style>
            </head>
            <body>
            <h1>\(Self.escaped(title))</h1>
            <p>\(summary)</p>
            <p>\(legend.joined(separator: "\n"))</p>
            <table>
            <thead><tr><th>call</th><th>result</th><th class="scale">\(axis(length))</th></tr></thead>
            <tbody>
            \(body)
            </tbody>
            </table>
            </body>
            </html>

            """
    }

    private func line(_ row: Waterfall.Row, _ begin: Duration, _ length: Double) -> String {
        let bars = row.spans.map { span in
            let left = Self.milliseconds(span.begin - begin) / length * 100
            let width = Self.milliseconds(span.end - span.begin) / length * 100
            let hint = "\(Self.name(span.kind)): \(Self.time(Self.milliseconds(span.end - span.begin)))"
            return String(
                format: "<i class=\"%@\" style=\"left:%.4f%%;width:%.4f%%\" title=\"%@\"></i>", span.kind.rawValue, left, width,
                hint)
        }
        let total = row.end.map { Self.time(Self.milliseconds($0 - row.begin)) } ?? "in progress"
        let notes = row.notes.map { "<div class=\"note\">\(Self.escaped($0))</div>" }.joined()
        let attempts = row.attempts > 1 ? " ×\(row.attempts)" : ""
        return """
            <tr><td title="\(Self.escaped(row.target))"><b>\(Self.escaped(row.method.rawValue))</b> \(Self.escaped(row.target))\(notes)</td>\
            <td class="\(isFailure(row) ? "bad" : "good")">\(outcome(row))\(attempts)<div class="note">\(total)</div></td>\
            <td class="bars">\(bars.joined())</td></tr>
            """
    }

    private func isFailure(_ row: Waterfall.Row) -> Bool {
        if case .status(let status) = row.outcome { status >= 400 } else { row.outcome != nil }
    }

    private func outcome(_ row: Waterfall.Row) -> String {
        switch row.outcome {
        case .status(let status): "\(status)"
        case .failure(let code): Self.escaped(code.rawValue)
        case nil: "…"
        }
    }

    /// Returns the marks of the time axis, at round values.
    private func axis(_ length: Double) -> String {
        var step = 0.001
        for factor in [2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2]
        where length / step > 6 {
            step *= factor
        }
        var marks = ""
        for number in 0...12 where Double(number) * step <= length {
            marks += String(
                format: "<span style=\"left:%.4f%%\">%@</span>", Double(number) * step / length * 100,
                Self.time(Double(number) * step))
        }
        return marks
    }

    private static func name(_ kind: Waterfall.Span.Kind) -> String {
        switch kind {
        case .queued: "waiting for a connection"
        case .lookup: "name lookup"
        case .connect: "connecting"
        case .tls: "TLS"
        case .send: "sending the body"
        case .wait: "waiting for the response"
        case .receive: "receiving"
        case .redirects: "with redirects"
        case .pause: "pause before a retry"
        }
    }

    private static func milliseconds(_ duration: Duration) -> Double { duration / .milliseconds(1) }

    private static func time(_ milliseconds: Double) -> String {
        if milliseconds >= 10_000 { return String(format: "%.1f s", milliseconds / 1000) }
        if milliseconds >= 10 || milliseconds == 0 { return String(format: "%.0f ms", milliseconds) }
        return String(format: milliseconds >= 0.1 ? "%.1f ms" : "%.3f ms", milliseconds)
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.printableLine.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static let style = """
        :root { color-scheme: light dark; --line: #8884; --quiet: #777; }
        body { font: 13px/1.4 system-ui, sans-serif; margin: 1.5rem; }
        h1 { font-size: 1.2rem; margin: 0 0 .3rem; }
        p { margin: 0 0 .8rem; color: var(--quiet); }
        .key { margin-right: 1em; white-space: nowrap; }
        .key i { display: inline-block; width: .8em; height: .8em; margin-right: .35em; border-radius: 2px; vertical-align: -1px; }
        table { border-collapse: collapse; width: 100%; table-layout: fixed; }
        th { text-align: left; font-weight: 600; color: var(--quiet); }
        th:first-child { width: 32%; } th:nth-child(2) { width: 9em; }
        td { border-top: 1px solid var(--line); padding: .25rem .6rem .25rem 0; vertical-align: top; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        .note { color: var(--quiet); font-size: .85em; white-space: normal; }
        .good { color: #1a7f37; } .bad { color: #cf222e; }
        .bars, .scale { position: relative; overflow: visible; }
        .scale span { position: absolute; top: 0; font-weight: 400; border-left: 1px solid var(--line); padding-left: 3px; white-space: nowrap; }
        .bars i { position: absolute; top: .35rem; height: .9rem; min-width: 1px; border-radius: 1px; }
        .queued { background: #8c959f; } .lookup { background: #1b7c83; } .connect { background: #bc4c00; } .tls { background: #8250df; }
        .send { background: #bf3989; } .wait { background: #2da44e; } .receive { background: #0969da; } .redirects { background: #bf8700; }
        .pause { background: repeating-linear-gradient(45deg, #8c959f66 0 4px, transparent 4px 8px); }
        """
}

extension Waterfall: RedactedStringConvertible {}
