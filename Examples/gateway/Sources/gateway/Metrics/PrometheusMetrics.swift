import CoreMetrics
import Synchronization

/// A backend of swift-metrics that keeps all values in memory, and writes them as Prometheus reads them (text format 0.0.4).
final class PrometheusMetrics: MetricsFactory {
    private let families = Mutex<[String: PrometheusFamily]>([:])

    /// All metrics as text.
    var text: String {
        let families = families.withLock { $0.sorted { $0.key < $1.key } }
        return families.map { $0.value.text }.joined()
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label + "_total", .counter, dimensions)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { series(label, .gauge, dimensions) }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        series(label, aggregate ? .histogram : .gauge, dimensions)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label + "_seconds", .histogram, dimensions)
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private func series(_ label: String, _ kind: PrometheusFamily.Kind, _ dimensions: [(String, String)]) -> PrometheusSeries {
        let name = PrometheusFamily.name(label)
        let family = families.withLock { families in
            let family = families[name] ?? PrometheusFamily(name, kind)
            families[name] = family
            return family
        }
        return family.series(dimensions)
    }
}

/// All series of one metric.
final class PrometheusFamily: Sendable {
    enum Kind: String {
        case counter, gauge, histogram
    }

    private let name: String
    private let kind: Kind
    private let all = Mutex<[String: PrometheusSeries]>([:])

    init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }

    /// Returns a name in which every character that Prometheus does not allow is an underscore.
    static func name(_ label: String) -> String {
        String(label.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }

    func series(_ dimensions: [(String, String)]) -> PrometheusSeries {
        let labels = dimensions.map { name, value in "\(Self.name(name))=\"\(Self.escaped(value))\"" }.joined(separator: ",")
        return all.withLock { all in
            let series = all[labels] ?? PrometheusSeries(name, labels, isHistogram: kind == .histogram)
            all[labels] = series
            return series
        }
    }

    var text: String {
        let series = all.withLock { $0.sorted { $0.key < $1.key } }
        return "# TYPE \(name) \(kind.rawValue)\n" + series.map { $0.value.text }.joined()
    }

    private static func escaped(_ value: String) -> String {
        var result = ""
        for character in value {
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.append(character)
            }
        }
        return result
    }
}
