import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

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
