import Foundation

/// The state of one `encode` call: the text so far, and the open containers.
///
/// Values are written immediately, which requires that they are encoded in the order of the text: a container is closed when its parent is written to
/// again. If the order is another one (a key is written twice, or a closed container is written to), the call is abandoned (``abandon()``), and
/// Foundation's encoder, which builds a tree first, encodes the value from the start. Like ``DecodingSession``, this is a plain pointer; ``EncodingOwner``
/// owns the memory.
struct EncodingSession {
    struct Storage {
        var out = OutputBuffer()
        var levels: UnsafeMutablePointer<EncodingLevel>
        /// Number of open containers.
        var depth = 0
        /// The number of the value that is to be written next, and the length of the text before it. An encoder may write if both are unchanged.
        var fresh: UInt32 = 0
        var freshStart = 0
        /// The number of a super encoder's value. If nothing is written for it, it becomes an empty object.
        var pending: UInt32 = 0
        /// The last number that was assigned to a container or value.
        var serial: UInt32 = 0
        var isAbandoned = false
        /// The number of values whose `encode(to:)` is running.
        var nesting = 0
        var bounds = StackBounds()
        /// Why a value was nested too deeply, and the path to it. The call is abandoned then.
        var tooDeep: NestingError?
        var tooDeepPath: [any CodingKey] = []
        var escapesSlashes = true
        /// Whether the format is neither pretty nor sorted.
        var isPlain = true
        var hashes = KeyHashes()
        var types = TypeTable()
        var containers = BoxPool<KeyedEncodingState>()
        var members: [SortedMember] = []
        /// The keys of nested containers and super encoders, for coding paths.
        var keptKeys: [any CodingKey] = []
        var convertedKeys = ConvertedKeys()
        unowned(unsafe) var owner: EncodingOwner
        /// Not retained: the call retains them.
        unowned(unsafe) var options: EncodingOptions
        /// The options, retained if an encoder or container outlives the call.
        var keptOptions: EncodingOptions?
    }

    let storage: UnsafeMutablePointer<Storage>

    @inline(__always) var levels: UnsafeMutablePointer<EncodingLevel> { storage.pointee.levels }
    @inline(__always) var depth: Int { storage.pointee.depth }
    @inline(__always) var owner: EncodingOwner { storage.pointee.owner }
    var options: EncodingOptions { storage.pointee.options }

    @inline(__always)
    func nextSerial() -> UInt32 {
        storage.pointee.serial &+= 1
        return storage.pointee.serial
    }

    /// Abandons the call: all open containers become invalid, and Foundation's encoder encodes the value.
    @inline(never)
    func abandon() {
        storage.pointee.isAbandoned = true
        storage.pointee.depth = 0
        storage.pointee.fresh = 0
        storage.pointee.pending = 0
        storage.pointee.out.count = 0
    }

    /// Abandons the call because a value is nested too deeply.
    @inline(never)
    func refuse(_ reason: NestingError) -> NestingError {
        if storage.pointee.tooDeep == nil { storage.pointee.tooDeepPath = path(to: min(depth, 8)) }
        abandon()
        storage.pointee.tooDeep = reason
        return reason
    }

    /// Abandons the call because a container at a level has no room.
    @inline(never)
    func refuseContainer(_ level: Int) -> Int? {
        _ = refuse(level < NestingLimit.maximumDepth ? .stack : .depth)
        return nil
    }

    /// Abandons the call because another value has no room in those that are being encoded.
    @inline(never)
    func tooManyValues() -> NestingError { refuse(storage.pointee.nesting < NestingLimit.maximumValues ? .stack : .depth) }

    func begin(_ options: EncodingOptions) {
        storage.pointee.options = options
        storage.pointee.nesting = 0
        storage.pointee.tooDeep = nil
        storage.pointee.escapesSlashes = options.escapesSlashes
        storage.pointee.isPlain = !options.isPretty && !options.sortsKeys
        storage.pointee.isAbandoned = false
        storage.pointee.depth = 0
        storage.pointee.serial = 0
        storage.pointee.pending = 0
        storage.pointee.out.count = 0
        storage.pointee.hashes.count = 0
    }

    func reset() {
        storage.pointee.options = EncodingOwner.noOptions
        storage.pointee.depth = 0
        storage.pointee.fresh = 0
        storage.pointee.out.reset(limit: 8 << 20)
        storage.pointee.hashes.reset()
        if !storage.pointee.members.isEmpty { storage.pointee.members.removeAll(keepingCapacity: true) }
        if !storage.pointee.keptKeys.isEmpty { storage.pointee.keptKeys.removeAll() }
        if !storage.pointee.tooDeepPath.isEmpty { storage.pointee.tooDeepPath.removeAll() }
    }
}

/// An open container.
struct EncodingLevel {
    /// The container's number, which distinguishes it from other containers at the same depth.
    var serial: UInt32
    /// The number of the value that the container is.
    var value: UInt32
    var isObject: Bool
    /// The number of members or elements so far.
    var count: Int
    /// The index of its first key's hash and, if keys are sorted, of its first member.
    var firstHash: Int
    var firstMember: Int
    /// The type of the key that is being written, and a pointer to the key, valid during the call that writes it. Nil for an element.
    var keyType: (any CodingKey.Type)?
    var key: UnsafeRawPointer?
    /// The index in `keptKeys` of the key of a nested container or super encoder; otherwise -1.
    var keptKey: Int
}

/// A member of an object whose keys are sorted.
struct SortedMember {
    var key: String
    var start: Int
    var end: Int
}

/// Owns an encoding session's memory.
final class EncodingOwner {
    let session: EncodingSession

    static let noOptions = EncodingOptions()

    init() {
        let storage = UnsafeMutablePointer<EncodingSession.Storage>.allocate(capacity: 1)
        session = EncodingSession(storage: storage)
        storage.initialize(
            to: EncodingSession.Storage(
                levels: .allocate(capacity: NestingLimit.maximumDepth + 2), owner: self, options: Self.noOptions))
    }

    deinit {
        let storage = session.storage
        storage.pointee.out.deallocate()
        storage.pointee.levels.deallocate()
        storage.pointee.hashes.deallocate()
        storage.pointee.types.deallocate()
        storage.pointee.containers.deallocate()
        storage.deinitialize(count: 1)
        storage.deallocate()
    }
}

/// Computes the coding path of the value that is being written, when it is read.
extension EncodingSession {
    /// The path to the value that is to be written next.
    var path: [any CodingKey] { path(to: depth) }

    /// The path to the content of the first `depth` open containers.
    @inline(never)
    func path(to depth: Int) -> [any CodingKey] {
        (0..<min(depth, storage.pointee.depth)).map { key(of: levels[$0]) }
    }

    private func key(of level: EncodingLevel) -> any CodingKey {
        if level.keptKey >= 0 { return storage.pointee.keptKeys[level.keptKey] }
        guard let type = level.keyType, let key = level.key else { return JSONKey(index: max(level.count - 1, 0)) }
        if type == DictionaryKey.self { return DictionaryKey(stringValue: key.assumingMemoryBound(to: String.self).pointee) }
        if type == JSONKey.self { return JSONKey(stringValue: key.assumingMemoryBound(to: String.self).pointee) }
        return load(type, key)
    }

    private func load<Key: CodingKey>(_ type: Key.Type, _ key: UnsafeRawPointer) -> any CodingKey {
        key.assumingMemoryBound(to: Key.self).pointee
    }

    /// Converts a key with the key strategy.
    @inline(__always)
    func name(_ key: some CodingKey, _ level: Int) -> String {
        options.usesDefaultKeys ? key.stringValue : converted(key, level)
    }

    @inline(never)
    private func converted(_ key: some CodingKey, _ level: Int) -> String {
        switch options.keys {
        case .useDefaultKeys: key.stringValue
        case .convertToSnakeCase: snakeCase(key.stringValue)
        case .custom(let convert): convert(path(to: level) + [key]).stringValue
        @unknown default: key.stringValue
        }
    }

    private func snakeCase(_ key: String) -> String {
        storage.pointee.convertedKeys.value(ofLiteral: key) { KeyWords.joined(key, by: "_") }
    }
}
