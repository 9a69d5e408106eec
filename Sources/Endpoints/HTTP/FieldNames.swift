/// A set of names of header fields, which are compared without case. A name is compared only with those of its length.
package struct FieldNames: Sendable, ExpressibleByArrayLiteral {
    private var byLength: [[String]] = []

    package init(arrayLiteral names: String...) {
        for name in names { insert(name) }
    }

    private mutating func insert(_ name: String) {
        let count = name.utf8.count
        while byLength.count <= count { byLength.append([]) }
        byLength[count].append(name)
    }

    package func contains(_ name: String) -> Bool {
        let count = name.utf8.count
        guard count < byLength.count else { return false }
        for known in byLength[count] where HeaderFields.isSame(known, name) { return true }
        return false
    }

    package static func + (left: FieldNames, right: FieldNames) -> FieldNames {
        right.names.reduce(into: left) { $0.insert($1) }
    }

    /// The names as they were stated, in the order of their lengths.
    package var names: [String] { byLength.flatMap { $0 } }
}
