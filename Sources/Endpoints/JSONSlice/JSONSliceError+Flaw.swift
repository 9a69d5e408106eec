extension JSONSliceError {
    init(_ flaw: JSONFlaw, at offset: Int, path: JSONKeyPath) {
        let kind: Kind =
            switch flaw.reason {
            case .empty: .emptyDocument
            case .tooDeep: .depthExceeded(limit: JSONContainerStack.limit)
            default: .malformedDocument(byteOffset: offset, reason: flaw.reason.text)
            }
        self.init(kind: kind, path: path, byteOffset: offset)
    }

    /// - Parameter parent: The steps that could be taken.
    init(_ miss: JSONLocation.Miss, after parent: JSONKeyPath, at offset: Int, path: JSONKeyPath) {
        let kind: Kind
        switch miss {
        case .name(let name, let available):
            kind = .pathNotFound(missing: name, parent: parent, availableKeys: available)
        case .index(let index, let count):
            kind = .indexOutOfRange(index: index, count: count, parent: parent)
        case .type(let expected, let found):
            kind = .typeMismatch(expected: expected, found: found, at: parent)
        case .leadingZero:
            let before = JSONKeyPath.pointer(to: path.components.prefix(parent.components.count))
            // Behind the slash that leads the token.
            kind = .malformedPath(offset: before.utf8.count + 1, reason: "an array index has no leading zeros")
        }
        self.init(kind: kind, path: path, byteOffset: offset)
    }
}
