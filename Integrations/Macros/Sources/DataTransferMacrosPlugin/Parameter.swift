import SwiftSyntax
import SwiftSyntaxBuilder

/// Where the value of a parameter is used.
enum Place: Equatable {
    /// The placeholder with this name.
    case path(String)
    /// A query item; its name as an expression.
    case query(String)
    /// A header field; its name as an expression.
    case header(String)
    /// A member of the JSON object or a field of the form that is the body; its name as an expression.
    case member(String)
    /// A part of a multipart form; the arguments of `formParts` as text.
    case part(String)
    /// The whole body.
    case body
    /// All query items.
    case wholeQuery
    /// The observer of the endpoint.
    case progress
    /// An argument of the service's function, such as `to`.
    case argument(String)

    /// Whether the value is part of the endpoint.
    var isPartOfEndpoint: Bool {
        if case .argument = self { false } else { true }
    }
}

/// The attributes of parameters.
enum PlaceAttribute: String {
    case path = "Path"
    case query = "Query"
    case header = "Header"
    case field = "Field"
    case part = "Part"
    case body = "Body"

    /// Whether the parameter is in the body.
    var isInBody: Bool { [.field, .part, .body].contains(self) }
}

/// A parameter of a call.
struct Parameter {
    let syntax: FunctionParameterSyntax
    let attribute: AttributeSyntax?
    var place: Place = .body

    init(_ syntax: FunctionParameterSyntax) {
        self.syntax = syntax
        attribute = syntax.attributes.all.first { PlaceAttribute(rawValue: $0.lastName) != nil }
    }

    /// The label of the argument; `nil` if it has none.
    var label: String? { syntax.firstName.tokenKind == .wildcard ? nil : syntax.firstName.text }
    /// The name in the function, as it is written.
    var name: String { (syntax.secondName ?? syntax.firstName).text }
    /// The name in the function, without backticks.
    var plainName: String { name.trimming("`") }
    var type: String { syntax.type.trimmedDescription }
    /// The type without attributes such as `@escaping`, `?`, `any` and the module.
    var plainType: String { syntax.type.plainName }
    var isOptional: Bool { syntax.type.isOptional }
    var explicitPlace: PlaceAttribute? { attribute.flatMap { PlaceAttribute(rawValue: $0.lastName) } }

    /// The name in the request: that of the attribute, or of the parameter; as an expression.
    var keyExpression: String {
        attribute?.argument(nil)?.expression.trimmedDescription ?? "\"\(plainName)\""
    }

    /// The declaration without attributes.
    func declaration(withDefault: Bool) -> String {
        let names = [syntax.firstName.text, syntax.secondName?.text].compactMap { $0 }.joined(separator: " ")
        let value = withDefault ? syntax.defaultValue.map { " = \($0.value.trimmedDescription)" } ?? "" : ""
        return "\(names): \(type)\(value)"
    }

    /// The argument that passes the parameter on to a function with the same label.
    var forwarded: String { label.map { "\($0.trimming("`")): \(name)" } ?? name }

    /// Returns the declaration after some text, such as an attribute.
    func prefixed(by text: String) -> FunctionParameterSyntax {
        "\(raw: text)\(syntax.trimmed)" as FunctionParameterSyntax
    }
}

extension String {
    /// Returns the text without a character at its ends.
    func trimming(_ character: Character) -> String {
        String(drop { $0 == character }.reversed().drop { $0 == character }.reversed())
    }
}

extension TypeSyntax {
    var isOptional: Bool {
        self.is(OptionalTypeSyntax.self) || self.as(IdentifierTypeSyntax.self)?.name.text == "Optional"
    }

    /// The type without `?`, `any`, parentheses around one type, generic arguments and the module.
    var plainName: String {
        if let type = self.as(OptionalTypeSyntax.self) { return type.wrappedType.plainName }
        if let type = self.as(SomeOrAnyTypeSyntax.self) { return type.constraint.plainName }
        if let type = self.as(AttributedTypeSyntax.self) { return type.baseType.plainName }
        if let type = self.as(IdentifierTypeSyntax.self) { return type.name.text }
        if let type = self.as(MemberTypeSyntax.self), type.baseType.is(IdentifierTypeSyntax.self) { return type.name.text }
        if let type = self.as(TupleTypeSyntax.self), type.elements.count == 1, let element = type.elements.first {
            return element.type.plainName
        }
        return trimmedDescription
    }

    /// What the type is, if no value of it can be encoded or decoded; `nil` for other types.
    var uncodableKind: String? {
        if let type = self.as(TupleTypeSyntax.self) {
            guard type.elements.count == 1, let element = type.elements.first else { return "a tuple" }
            return element.type.uncodableKind
        }
        if let type = self.as(AttributedTypeSyntax.self) { return type.baseType.uncodableKind }
        if let type = self.as(OptionalTypeSyntax.self) { return type.wrappedType.uncodableKind }
        if let type = self.as(ArrayTypeSyntax.self) { return type.element.uncodableKind }
        if let type = self.as(DictionaryTypeSyntax.self) { return type.value.uncodableKind }
        if self.is(FunctionTypeSyntax.self) { return "a function" }
        if self.is(MetatypeTypeSyntax.self) { return "a type" }
        if let type = self.as(SomeOrAnyTypeSyntax.self) {
            return type.someOrAnySpecifier.text == "any" ? "an existential type" : "an opaque type"
        }
        return ["Any", "AnyObject", "Never"].contains(trimmedDescription) ? "‘\(trimmedDescription)’" : nil
    }
}
