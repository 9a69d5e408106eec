import SwiftSyntax
import SwiftSyntaxBuilder

/// Finds the place of each parameter of a call, and reports those that have none.
struct Placement {
    let call: CallReader
    let path: PathTemplate
    let bodyRule: BodyRule
    var report: Report
    var parameters: [Parameter]
    /// The header fields of the parameters so far, in lower case.
    var headerNames: Set<String> = []
    private let method: String

    init(call: CallReader, path: PathTemplate, method: String) {
        self.call = call
        self.path = path
        self.method = method
        report = call.report
        parameters = call.function.signature.parameterClause.parameters.map(Parameter.init)
        let name = method.split(separator: ".").last.map(String.init) ?? method
        bodyRule =
            switch name {
            case "get", "head", "trace": .none
            case "delete", "options": .explicit
            default: .rest
            }
    }

    mutating func run() {
        var rest: [Int] = []
        for index in parameters.indices {
            checkDeclaration(parameters[index])
            if let place = explicitPlace(parameters[index]) ?? passedOn(parameters[index]) ?? pathPlace(parameters[index]) {
                parameters[index].place = place
            } else {
                rest.append(index)
            }
        }
        checkPath()
        checkBodies()
        placeRest(rest)
        for parameter in parameters { checkValue(parameter) }
    }

    /// Returns the place that an attribute states.
    private mutating func explicitPlace(_ parameter: Parameter) -> Place? {
        guard let attribute = parameter.attribute, let place = parameter.explicitPlace else { return nil }
        checkSingle(parameter, attribute)
        let key = parameter.keyExpression
        switch place {
        case .path: return .path(key.trimming("\""))
        case .query: return .query(key)
        case .header:
            checkHeader(attribute)
            return .header(key)
        case .field: return .member(key)
        case .part:
            let rest = ["fileName", "contentType"].map { label in
                "\(label): \(attribute.argument(label)?.expression.trimmedDescription ?? "nil")"
            }
            return .part(([key] + rest).joined(separator: ", "))
        case .body: return .body
        }
    }

    /// Returns the place of a parameter that is an argument of the service's function, or the observer of the endpoint.
    private func passedOn(_ parameter: Parameter) -> Place? {
        switch (call.verb, parameter.plainType) {
        case (.download, _) where parameter.label == "to": .argument("to: \(parameter.name)")
        case (.download, "DownloadOptions"): .argument("options: \(parameter.name)")
        case (.download, "TransferProgressObserver"): .argument("progress: \(parameter.name)")
        case (.events, "EventStreamOptions"): .argument("options: \(parameter.name)")
        case (.events, "String") where parameter.plainName == "lastEventID": .argument("lastEventID: \(parameter.name)")
        case (_, "TransferProgressObserver"): .progress
        default: nil
        }
    }

    private func pathPlace(_ parameter: Parameter) -> Place? {
        if path.contains(parameter.plainName) { return .path(parameter.plainName) }
        guard let label = parameter.label?.trimming("`"), path.contains(label) else { return nil }
        return .path(label)
    }

    private mutating func placeRest(_ rest: [Int]) {
        let isBody = bodyRule == .rest
        let inBody = parameters.first { $0.explicitPlace?.isInBody == true }
        let whole = rest.first { parameters[$0].label == nil }
        for index in rest {
            let parameter = parameters[index]
            if isBody, let inBody, let attribute = inBody.explicitPlace {
                report.add(
                    .noPlace(parameter.plainName, "the body consists of the parameters with @\(attribute.rawValue)"),
                    at: parameter.syntax, attribute == .body ? nil : marking(parameter, attribute), marking(parameter, .query))
            } else if let whole, index != whole, isBody {
                let first = parameters[whole].plainName
                if parameter.label == nil {
                    report.add(.twoBodies(first, parameter.plainName), at: parameter.syntax, marking(parameter, .query))
                } else {
                    report.add(
                        .noPlace(parameter.plainName, "‘\(first)’, which has no label, is the whole body"),
                        at: parameter.syntax, marking(parameter, .query))
                }
            } else if let whole, !isBody, index == whole, hasOtherQuery(than: whole, rest) {
                report.add(
                    .noPlace(parameter.plainName, "without a label it is the whole query, and there are other query items"),
                    at: parameter.syntax, marking(parameter, .query))
            } else if index == whole {
                parameters[index].place = isBody ? .body : .wholeQuery
            } else {
                parameters[index].place = isBody ? .member(parameter.keyExpression) : .query(parameter.keyExpression)
            }
        }
    }

    private func hasOtherQuery(than whole: Int, _ rest: [Int]) -> Bool {
        rest.count > 1 || parameters.contains { $0.explicitPlace == .query }
    }

    /// Returns the repair that adds an attribute to a parameter.
    private func marking(_ parameter: Parameter, _ place: PlaceAttribute) -> Repair {
        Repair("add ‘@\(place.rawValue)’", parameter.syntax, by: parameter.prefixed(by: "@\(place.rawValue) "))
    }
}
