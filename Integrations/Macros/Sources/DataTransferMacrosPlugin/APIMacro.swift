import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@API`: writes what belongs to all calls, and reports the mistakes that concern more than one function's attribute.
enum APIMacro {}

extension APIMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        var report = Report()
        let api = APIDeclaration(node, declaration, &report)
        report.diagnostics.forEach(context.diagnose)
        return api?.members ?? []
    }
}

extension APIMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax, providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        var report = Report()
        guard let api = APIDeclaration(node, declaration, &report) else { return [] }
        let conformance: DeclSyntax = "extension \(type.trimmed): \(raw: api.protocolName) {}"
        return conformance.as(ExtensionDeclSyntax.self).map { [$0] } ?? []
    }
}

extension APIMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        var report = Report()
        guard let group = declaration.asProtocol((any DeclGroupSyntax).self),
            let api = APIDeclaration(node, group, &report)
        else { return [] }
        return [api.requirements, api.stub]
    }
}
