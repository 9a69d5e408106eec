import SwiftSyntax
import SwiftSyntaxBuilder

extension Placement {
    /// Reports placeholders without a value, and values without a placeholder.
    mutating func checkPath() {
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
    mutating func checkBodies() {
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
    mutating func checkSingle(_ parameter: Parameter, _ attribute: AttributeSyntax) {
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

    mutating func checkHeader(_ attribute: AttributeSyntax) {
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
    mutating func checkDeclaration(_ parameter: Parameter) {
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
    mutating func checkValue(_ parameter: Parameter) {
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
