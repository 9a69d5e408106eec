import SwiftSyntax
import SwiftSyntaxBuilder

/// What a call returns.
enum CallResult {
    /// Nothing is decoded.
    case nothing
    /// A value of this type.
    case value(String)
    /// The value of this type with status and header fields; `Void` if nothing is decoded.
    case response(String)
    /// A file, events, or a stream.
    case transfer(String)

    /// The type of the endpoint's response.
    var decodedType: String {
        switch self {
        case .nothing, .transfer: "Void"
        case .value(let type), .response(let type): type
        }
    }

    /// The type of the function's result.
    var type: String {
        switch self {
        case .nothing: "Void"
        case .value(let type), .transfer(let type): type
        case .response(let type): "DataTransferResponse<\(type)>"
        }
    }
}

extension CallReader {
    /// Returns what the function returns, and reports mistakes in it and in the arguments that concern it.
    mutating func readResult() -> CallResult {
        guard let clause = function.signature.returnClause, !clause.type.isVoid else {
            checkTransfer(nil)
            checkDecoding(of: "Void")
            return .nothing
        }
        let type = clause.type
        let name = type.plainName
        if verb.requiredResult != nil {
            checkTransfer(clause)
            return .transfer(type.trimmedDescription)
        }
        if let other = Verb.returning(name) {
            report.add(.otherVerb(name, other.rawValue), at: type, repairing(to: other))
            return .transfer(name)
        }
        var decoded = type
        if let inner = type.genericArgument(of: "DataTransferResponse") { decoded = inner }
        let isVoid = decoded.isVoid
        if verb == .head, !isVoid {
            let signature = function.signature
            report.add(
                .headWithResult, at: type,
                Repair("remove the result", signature, by: signature.with(\.returnClause, nil)))
        } else if !isVoid, let kind = decoded.uncodableKind {
            report.add(.notDecodable(kind), at: decoded)
        }
        let text = isVoid ? "Void" : decoded.trimmedDescription
        checkDecoding(of: text)
        return decoded.id == type.id ? .value(text) : .response(text)
    }

    /// Reports a result that is not that of the attribute, and a download without a destination.
    private mutating func checkTransfer(_ clause: ReturnClauseSyntax?) {
        if let required = verb.requiredResult, clause?.type.plainName != required {
            if let clause {
                report.add(
                    .wrongResult(verb.rawValue, required), at: clause.type,
                    verb == .stream ? nil : Repair("replace it by ‘\(required)’", clause.type, by: TypeSyntax("\(raw: required)"))
                )
            } else {
                report.add(.wrongResult(verb.rawValue, required), at: function.name)
            }
        }
        let parameters = function.signature.parameterClause
        if verb == .download, !parameters.parameters.contains(where: { $0.firstName.text == "to" }) {
            var list = parameters.parameters
            if let last = list.indices.last { list[last].trailingComma = .commaToken(trailingTrivia: .space) }
            list.append("to file: URL")
            report.add(
                .noDestination, at: function.name,
                Repair("add ‘to file: URL’", parameters, by: parameters.with(\.parameters, list)))
        }
    }

    /// Reports a key path and a decoder that cannot be used.
    private mutating func checkDecoding(of type: String) {
        guard let argument = attribute.argument("keyPath") ?? attribute.argument("decoder") else { return }
        let withoutArgument = Repair(
            "remove ‘\(argument.label?.text ?? "")’", attribute, by: attribute.removing(argument))
        if let decoder = attribute.argument("decoder"), argument.id != decoder.id {
            report.add(.keyPathAndDecoder, at: decoder)
        } else if type == "Void" {
            report.add(.decoderWithoutValue(argument.label?.text ?? ""), at: argument, withoutArgument)
        } else if argument.label?.text == "keyPath", type == "Data" {
            report.add(.keyPathWithoutJSON(type), at: argument, withoutArgument)
        }
    }

    /// Returns the repair that replaces the attribute by another one.
    func repairing(to other: Verb) -> Repair {
        let name = TypeSyntax(IdentifierTypeSyntax(name: .identifier(other.rawValue)))
        return Repair("replace ‘@\(verb.rawValue)’ by ‘@\(other.rawValue)’", attribute.attributeName, by: name)
    }
}

extension TypeSyntax {
    var isVoid: Bool {
        self.as(TupleTypeSyntax.self)?.elements.isEmpty ?? ["Void", "Swift.Void"].contains(trimmedDescription)
    }

    /// The only generic argument, if this is a type with that name.
    func genericArgument(of name: String) -> TypeSyntax? {
        let clause =
            self.as(IdentifierTypeSyntax.self)?.genericArgumentClause
            ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause
        guard plainName == name, let clause, clause.arguments.count == 1, let argument = clause.arguments.first else {
            return nil
        }
        // A type in swift-syntax 600, and a choice since 601.
        return Syntax(argument.argument).as(TypeSyntax.self)
    }
}

extension AttributeSyntax {
    /// Returns the attribute without one argument.
    func removing(_ argument: LabeledExprSyntax) -> AttributeSyntax {
        var kept = labeledArguments.filter { $0.id != argument.id }
        if let last = kept.indices.last { kept[last].trailingComma = nil }
        return with(\.arguments, .argumentList(kept))
    }
}
