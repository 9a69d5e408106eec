import SwiftSyntax
import SwiftSyntaxBuilder

/// Finds the place of each parameter of a call, and reports those that have none.
struct Placement {
    let call: CallReader
    let path: PathTemplate
    let bodyRule: BodyRule
    var report: Report
    var parameters: [Parameter]
    private var headerNames: Set<String> = []
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

extension Placement {
    /// Reports placeholders without a value, and values without a placeholder.
    private mutating func checkPath() {
        var filled: Set<String> = []
        for parameter in parameters {
            guard case .path(let name) = parameter.place else { continue }
            if !path.contains(name) {
                report.add(
                    .noPlaceholder(name), at: parameter.attribute.map(Syntax.init) ?? Syntax(parameter.syntax),
                    removing(parameter))
            } else if !filled.insert(name).inserted {
                report.add(.twoForPath(name), at: parameter.syntax)
            } else if parameter.isOptional {
                report.add(.optionalInPath(parameter.plainName), at: parameter.syntax.type, unwrapping(parameter))
            }
        }
        for placeholder in path.placeholders where !filled.contains(placeholder.name) {
            let taken = parameters.first { $0.plainName == placeholder.name }
            report.add(
                .pathWithoutArgument(placeholder.name, isTaken: taken != nil), at: path.segment, offset: placeholder.offset,
                taken.flatMap(removing) ?? similar(to: placeholder))
            filled.insert(placeholder.name)
        }
    }

    /// Returns the repair of a placeholder that is misspelled.
    private func similar(to placeholder: PathTemplate.Placeholder) -> Repair? {
        let others = parameters.filter { $0.attribute == nil && !path.contains($0.plainName) }
        guard let other = others.first(where: { $0.plainName.isSimilar(to: placeholder.name) }) else { return nil }
        return Repair(
            "write ‘{\(other.plainName)}’", path.segment, by: path.renaming(placeholder, to: other.plainName))
    }

    private func removing(_ parameter: Parameter) -> Repair? {
        guard let attribute = parameter.attribute else { return nil }
        let attributes = parameter.syntax.attributes.filter { $0.id != attribute.id }
        return Repair(
            "remove ‘@\(attribute.lastName)’", parameter.syntax, by: parameter.syntax.with(\.attributes, attributes))
    }

    private func unwrapping(_ parameter: Parameter) -> Repair? {
        guard let type = parameter.syntax.type.as(OptionalTypeSyntax.self) else { return nil }
        return Repair("remove ‘?’", parameter.syntax.type, by: type.wrappedType)
    }

    /// Reports values for the body that a request cannot have together.
    private mutating func checkBodies() {
        var first: Parameter?
        for parameter in parameters {
            guard let attribute = parameter.attribute, let place = parameter.explicitPlace, place.isInBody else { continue }
            if bodyRule == .none {
                let method = call.verb.isRequest && call.verb != .http ? call.verb.rawValue : "GET"
                report.add(
                    .bodyOfGet(place.rawValue, method), at: attribute,
                    call.verb == .get ? call.repairing(to: .post) : nil)
            } else if let first, let other = first.explicitPlace {
                if other != place {
                    report.add(.mixedBody(other.rawValue, place.rawValue), at: attribute)
                } else if place == .body {
                    report.add(.twoBodies(first.plainName, parameter.plainName), at: attribute)
                }
            } else {
                first = parameter
            }
        }
    }

    /// Reports a second attribute.
    private mutating func checkSingle(_ parameter: Parameter, _ attribute: AttributeSyntax) {
        let others = parameter.syntax.attributes.all.filter {
            PlaceAttribute(rawValue: $0.lastName) != nil && $0.id != attribute.id
        }
        for other in others {
            let attributes = parameter.syntax.attributes.filter { $0.id != other.id }
            report.add(
                .twoPlaces(attribute.lastName, other.lastName), at: other,
                Repair("remove ‘@\(other.lastName)’", parameter.syntax, by: parameter.syntax.with(\.attributes, attributes)))
        }
    }

    private mutating func checkHeader(_ attribute: AttributeSyntax) {
        guard let argument = attribute.argument(nil),
            let literal = argument.expression.as(StringLiteralExprSyntax.self)
        else { return }
        let name = literal.segments.trimmedDescription
        let isToken = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "!#$%&'*+-.^_`|~".contains($0)) }
        if name.isEmpty || !isToken {
            report.add(.headerName(name), at: argument)
        } else if ["content-length", "transfer-encoding", "connection", "host"].contains(name.lowercased()) {
            report.add(.headerOfTransport(name), at: attribute)
        } else if !headerNames.insert(name.lowercased()).inserted {
            report.add(.twoHeaders(name), at: attribute)
        }
    }

    /// Reports declarations that no call can have.
    private mutating func checkDeclaration(_ parameter: Parameter) {
        let syntax = parameter.syntax
        if syntax.ellipsis != nil {
            let type = TypeSyntax(ArrayTypeSyntax(element: syntax.type.trimmed))
            let repaired = syntax.with(\.ellipsis, nil).with(\.type, type)
            report.add(.variadic, at: syntax.type, Repair("declare ‘\(type)’", syntax, by: repaired))
        }
        if parameter.type.hasPrefix("inout ") { report.add(.inoutParameter, at: syntax.type) }
        if parameter.type.hasPrefix("some ") { report.add(.opaqueParameter(parameter.type), at: syntax.type) }
    }

    /// Reports types and defaults that cannot be encoded, as far as that is visible without their declarations.
    private mutating func checkValue(_ parameter: Parameter) {
        switch parameter.place {
        case .argument, .progress: return
        default: break
        }
        let type = parameter.syntax.type
        if let kind = type.uncodableKind, !parameter.type.contains("Encodable"), !parameter.type.hasPrefix("some ") {
            report.add(.notEncodable(parameter.plainName, kind), at: type)
        } else if let value = parameter.syntax.defaultValue?.value, let kind = value.uncodableKind {
            report.add(.defaultNotEncodable(parameter.plainName, kind), at: value)
        }
    }
}

extension ExprSyntax {
    /// What the expression is, if it cannot be encoded.
    fileprivate var uncodableKind: String? {
        if self.is(ClosureExprSyntax.self) { return "a closure" }
        if self.is(KeyPathExprSyntax.self) { return "a key path" }
        if let tuple = self.as(TupleExprSyntax.self), tuple.elements.count != 1 { return "a tuple" }
        if self.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "self" { return "a type" }
        return nil
    }
}
