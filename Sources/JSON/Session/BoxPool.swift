import NetworkSupport

/// Pools the boxes of keyed containers, one or more per key type. A box is reused once it has no other reference.
///
/// `KeyedDecodingContainer` and `KeyedEncodingContainer` look up metadata and allocate a box each time. With the pool this happens once per key type and
/// level of recursion. A box that is still referenced at the end of a call leaves the pool.
struct BoxPool<State: BoxState> {
    struct Entry {
        /// The standard library's box, the only stored property of its container. It is the first property, so that a pointer to the entry is also a
        /// pointer to the container.
        var box: BoxReference
        var state: UnsafeMutablePointer<State>
        /// The number of the call that used it last.
        var call: UInt64
        /// The next entry of the same key type.
        var next: Int32
    }

    // A pointer, not an array: an entry must not be copied, since a copy retains the box and its reference would never be unique.
    private var entries: UnsafeMutablePointer<Entry>
    private var count = 0
    private static var limit: Int { 256 }
    /// Open addressing by the key type's metadata address.
    private var heads: UnsafeMutablePointer<(type: UInt, entry: Int32)>
    private var capacity = 64
    private var typeCount = 0
    private var call: UInt64 = 1
    private var used: [Int32] = []
    /// Containers in use that did not fit into the pool.
    private var others: [(box: BoxReference, state: UnsafeMutablePointer<State>)] = []

    init() {
        entries = .allocate(capacity: Self.limit)
        heads = .allocate(capacity: capacity)
        heads.initialize(repeating: (0, -1), count: capacity)
    }

    mutating func deallocate() {
        empty { _ in false }
        entries.deallocate()
        heads.deallocate()
    }

    @inline(__always)
    private func slot(_ type: UInt) -> Int {
        let mask = capacity &- 1
        var i = Int(truncatingIfNeeded: (UInt64(type) &* 0x9E37_79B9_7F4A_7C15) >> 40) & mask
        while heads[i].type != type && heads[i].type != 0 { i = (i &+ 1) & mask }
        return i
    }

    @inline(__always)
    static func address(_ keys: Any.Type) -> UInt { UInt(bitPattern: unsafeBitCast(keys, to: UnsafeRawPointer.self)) }

    /// An unused box for keys of this type, or nil.
    @inline(__always)
    mutating func take(_ type: UInt) -> UnsafeMutablePointer<Entry>? {
        var i = heads[slot(type)].entry
        while i >= 0 {
            let entry = entries + Int(i)
            if isKnownUniquelyReferenced(&entry.pointee.box) {
                if entry.pointee.call != call {
                    entry.pointee.call = call
                    used.append(i)
                }
                return entry
            }
            i = entry.pointee.next
        }
        return nil
    }

    /// Adds a container's box, which is in use.
    @inline(never)
    mutating func add(_ box: BoxReference, _ state: UnsafeMutablePointer<State>, _ type: UInt) {
        guard count < Self.limit else {
            // Deep recursion, or a type that keeps its containers.
            others.append((box, state))
            return
        }
        if typeCount * 2 >= capacity { growHeads() }
        let head = slot(type)
        if heads[head].type == 0 {
            heads[head] = (type, -1)
            typeCount += 1
        }
        (entries + count).initialize(to: Entry(box: box, state: state, call: call, next: heads[head].entry))
        heads[head].entry = Int32(count)
        used.append(Int32(count))
        count += 1
    }

    private mutating func growHeads() {
        let (old, oldCapacity) = (heads, capacity)
        capacity *= 2
        heads = .allocate(capacity: capacity)
        heads.initialize(repeating: (0, -1), count: capacity)
        for i in 0..<oldCapacity where old[i].type != 0 { heads[slot(old[i].type)] = old[i] }
        old.deallocate()
    }

    /// Ends a call.
    ///
    /// - Parameters:
    ///   - owner: The session's owner, which containers that outlive the call retain.
    ///   - release: Called with each state that was used in the call and is free now.
    ///   - escape: Called with each state that outlives the call.
    /// - Returns: The containers that outlive the call. If there are any, the pool is empty afterwards.
    @inline(__always)
    mutating func finish(
        owner: AnyObject, release: (UnsafeMutablePointer<State>) -> Void, escape: (UnsafeMutablePointer<State>) -> Void
    ) -> [EscapedBox] {
        var escaped: [EscapedBox] = []
        for i in used {
            let entry = entries + Int(i)
            if isKnownUniquelyReferenced(&entry.pointee.box) {
                release(entry.pointee.state)
            } else {
                escape(entry.pointee.state)
                escaped.append(Self.escaped(entry.pointee.box, entry.pointee.state, owner))
            }
        }
        used.removeAll(keepingCapacity: true)
        call &+= 1
        if !others.isEmpty {
            for other in others {
                escape(other.state)
                escaped.append(Self.escaped(other.box, other.state, owner))
            }
            others.removeAll()
        }
        if !escaped.isEmpty {
            let kept = Set(escaped.map(\.state))
            empty { kept.contains(UnsafeMutableRawPointer($0)) }
        } else if count == Self.limit {
            empty { _ in false }
        }
        return escaped
    }

    private static func escaped(_ box: BoxReference, _ state: UnsafeMutablePointer<State>, _ owner: AnyObject) -> EscapedBox {
        EscapedBox(box: box, state: UnsafeMutableRawPointer(state), owner: owner) {
            let state = $0.assumingMemoryBound(to: State.self)
            state.pointee.deallocate()
            state.deinitialize(count: 1)
            state.deallocate()
        }
    }

    private mutating func empty(except isKept: (UnsafeMutablePointer<State>) -> Bool) {
        for i in 0..<count where !isKept(entries[i].state) {
            entries[i].state.pointee.deallocate()
            entries[i].state.deinitialize(count: 1)
            entries[i].state.deallocate()
        }
        entries.deinitialize(count: count)
        count = 0
        heads.update(repeating: (0, -1), count: capacity)
        typeCount = 0
    }
}

/// The state of a keyed container, stored outside of its box.
protocol BoxState {
    /// Frees the memory that the state has allocated.
    func deallocate()
}

/// A type for the standard library's box, whose class is not public. As a native class, it can be passed to `isKnownUniquelyReferenced`.
final class BoxReference {
    private init() {}
}

/// The box of a container that outlives its call, with the memory that it uses.
struct EscapedBox: @unchecked Sendable {
    // Unchecked: the only operation is `free`, once the box has no other reference.
    var box: BoxReference
    var state: UnsafeMutableRawPointer
    var owner: AnyObject
    var free: (UnsafeMutableRawPointer) -> Void

    /// Boxes that are still in use. A box that has been released is freed when another box is added.
    private static let registry = Locked<[EscapedBox]>([])

    /// Keeps boxes until they are released, and frees those that have been.
    static func keep(_ boxes: [EscapedBox]) {
        let freed = registry.withLock { kept -> [EscapedBox] in
            var all = kept + boxes
            kept = []
            var freed: [EscapedBox] = []
            for i in all.indices {
                if isKnownUniquelyReferenced(&all[i].box) { freed.append(all[i]) } else { kept.append(all[i]) }
            }
            return freed
        }
        for box in freed { box.free(box.state) }
    }
}
