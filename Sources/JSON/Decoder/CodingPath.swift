/// The step from a container to the value in it that is being decoded.
///
/// There is one frame per depth, overwritten by every step. The key is created from the text and its type when the path is read.
struct CodingFrame {
    /// The type of the key; nil for an element of an array.
    var keyType: (any CodingKey.Type)?
    var container: UInt32
    /// The value's tape index; 0 for a value that does not exist.
    var value: UInt32
    /// The position in an array.
    var ordinal: Int

    @inline(__always)
    init(_ keyType: (any CodingKey.Type)?, container: Int, value: Int, ordinal: Int = 0) {
        self.keyType = keyType
        self.container = UInt32(truncatingIfNeeded: container)
        self.value = UInt32(truncatingIfNeeded: value)
        self.ordinal = ordinal
    }

    /// Whether both lead to the same value with the same key. A value has one container.
    @inline(__always)
    func isSame(as other: CodingFrame) -> Bool {
        value == other.value && ordinal == other.ordinal
            && keyType.map { ObjectIdentifier($0) } == other.keyType.map { ObjectIdentifier($0) }
    }
}

extension DecodingSession {
    /// The path to the value or container with tape index `index`, which is `depth` steps below the document.
    ///
    /// - Parameter last: The key of another step, if there is one.
    @inline(never)
    func path(to index: Int, depth: Int, last: (any CodingKey)? = nil) -> [any CodingKey] {
        if depth >= Self.missingDepth {
            let path = storage.pointee.missingPaths[depth - Self.missingDepth]
            return last.map { path + [$0] } ?? path
        }
        if framesLead(to: index, depth: depth) { return pathAlongFrames(depth, last) }
        // A decoder that was kept while others were created: the path is found in the tape, but without the types of its keys.
        return walk(to: index) + (last.map { [$0] } ?? [])
    }

    /// The path along the first frames. It has the keys of the previous path, as far as the steps are the same.
    private func pathAlongFrames(_ depth: Int, _ last: (any CodingKey)?) -> [any CodingKey] {
        let same = storage.pointee.errorParts.commonSteps(frames, depth)
        if same == depth, last == nil, storage.pointee.errorParts.path.count == depth { return storage.pointee.errorParts.path }
        // Not in the session meanwhile: a user's key may read another path.
        var (path, steps) = storage.pointee.errorParts.takePath()
        for i in same..<depth {
            let (frame, key) = (frames[i], key(of: frames[i], depth: i))
            if i < path.count { path[i] = key } else { path.append(key) }
            if i < steps.count { steps[i] = frame } else { steps.append(frame) }
        }
        if depth < path.count { path.removeLast(path.count - depth) }
        if depth < steps.count { steps.removeLast(steps.count - depth) }
        if let last { path.append(last) }
        if storage.pointee.sharesErrorParts { storage.pointee.errorParts.keepPath(path, steps) }
        return path
    }

    private func framesLead(to index: Int, depth: Int) -> Bool {
        var expected = Scanner.root
        for i in 0..<depth {
            guard frames[i].container == expected else { return false }
            expected = Int(frames[i].value)
        }
        return expected == index
    }

    private func key(of frame: CodingFrame, depth: Int) -> any CodingKey {
        guard let type = frame.keyType else { return JSONKey(index: frame.ordinal) }
        let text = string(tape[Int(frame.value) - 1])
        let identity = ObjectIdentifier(type)
        if identity == ObjectIdentifier(DictionaryKey.self) { return DictionaryKey(stringValue: text) }
        if identity == ObjectIdentifier(JSONKey.self) { return JSONKey(stringValue: text) }
        let name = converted(text, container: Int(frame.container), depth: depth)
        return type.init(stringValue: name) ?? JSONKey(stringValue: name)
    }

    private func walk(to index: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var container = Scanner.root
        while container != index {
            let entry = tape[container]
            var child = container + 1
            var ordinal = 0
            let isObject = entry.is(.object)
            guard isObject || entry.is(.array) else { return path }
            while child < entry.next {
                let value = isObject ? child + 1 : child
                let next = self.next(value)
                if index < next {
                    path.append(isObject ? JSONKey(stringValue: string(tape[child])) : JSONKey(index: ordinal))
                    container = value
                    break
                }
                child = next
                ordinal += 1
            }
            if child >= entry.next { return path }
        }
        return path
    }
}

/// The position of a value, for an error: its container, and the last step if there is one.
struct DecodingPlace {
    /// The container, or the value itself if there is no last step.
    var index: Int
    /// The number of steps from the document to `index`.
    var depth: Int
    var last: (any CodingKey)?

    func path(_ session: DecodingSession) -> [any CodingKey] { session.path(to: index, depth: depth, last: last) }

    func parentPath(_ session: DecodingSession) -> [any CodingKey] { session.path(to: index, depth: depth) }
}
