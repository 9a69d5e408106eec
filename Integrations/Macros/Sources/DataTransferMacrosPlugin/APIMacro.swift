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

extension APIMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        var report = Report()
        // What is wrong has been reported with the members.
        guard let type = declaration.as(StructDeclSyntax.self),
            let api = APIDeclaration(node, type.withQualifiedTypes, &report)
        else { return [] }
        return api.hasProtocol ? [api.requirements, api.stub] : []
    }
}
