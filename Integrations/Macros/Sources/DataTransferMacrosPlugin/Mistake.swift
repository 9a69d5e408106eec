import SwiftDiagnostics
import SwiftSyntax

/// An error in the declaration of an API, with a text that says what is expected. `Mistakes.swift` has all of them.
struct Mistake: DiagnosticMessage {
    let name: String
    let message: String
    let severity = DiagnosticSeverity.error

    init(_ name: String, _ message: String) {
        self.name = name
        self.message = message
    }

    var diagnosticID: MessageID { MessageID(domain: "DataTransferMacros", id: name) }
}

/// One change that repairs a mistake.
struct Repair {
    let message: String
    let changes: [FixIt.Change]

    /// Replaces a node by another one, and keeps the spaces and comments around it.
    init(_ message: String, _ old: some SyntaxProtocol, by new: some SyntaxProtocol) {
        self.message = message
        var new = Syntax(new)
        new.leadingTrivia = old.leadingTrivia
        new.trailingTrivia = old.trailingTrivia
        changes = [.replace(oldNode: Syntax(old), newNode: new)]
    }

    /// Makes several changes.
    init(_ message: String, changes: [FixIt.Change]) {
        self.message = message
        self.changes = changes
    }

    fileprivate struct Message: FixItMessage {
        let message: String
        let fixItID: MessageID
    }
}

/// The mistakes that were found, in the order of their discovery.
struct Report {
    private(set) var diagnostics: [Diagnostic] = []

    /// Adds a mistake.
    ///
    /// - Parameters:
    ///   - node: What is marked.
    ///   - offset: The number of bytes from the begin of the node to the mark. Default: 0.
    ///   - repairs: The changes from which the author can choose.
    mutating func add(_ mistake: Mistake, at node: some SyntaxProtocol, offset: Int = 0, _ repairs: Repair?...) {
        let fixIts = repairs.compactMap { $0 }.map { repair in
            FixIt(
                message: Repair.Message(
                    message: repair.message, fixItID: MessageID(domain: "DataTransferMacros", id: mistake.name)),
                changes: repair.changes)
        }
        diagnostics.append(
            Diagnostic(
                node: Syntax(node),
                position: node.positionAfterSkippingLeadingTrivia.advanced(by: offset),
                message: mistake, fixIts: fixIts))
    }
}
