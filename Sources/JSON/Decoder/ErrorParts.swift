/// The parts that the errors of one call have in common.
///
/// A type that tries several types in turn causes an error with each attempt that fails, and reads none of them. Errors of one value have the same
/// path and the same details, a value nearby has nearly the same path, and descriptions repeat. With these parts at hand, an error takes one
/// allocation: its box.
struct ErrorParts {
    /// The last path along the frames, with the step of each key.
    private(set) var path: [any CodingKey] = []
    private var steps: [CodingFrame] = []
    /// The details of the value with a tape index. They retain the session, and must be released before the end of its call.
    private var details: (any Error)?
    private var detailed = 0
    private(set) var descriptions = DescriptionCache()

    /// Releases what belongs to one document.
    @inline(__always)
    mutating func endDocument() {
        if details != nil || !path.isEmpty || !steps.isEmpty { clear() }
    }

    @inline(never)
    private mutating func clear() {
        details = nil
        path = []
        steps.removeAll(keepingCapacity: steps.capacity <= 64)
    }

    /// The number of steps that the last path has in common with the first frames.
    @inline(__always)
    func commonSteps(_ frames: UnsafePointer<CodingFrame>, _ depth: Int) -> Int {
        let count = min(depth, steps.count)
        var same = 0
        while same < count, steps[same].isSame(as: frames[same]) { same &+= 1 }
        return same
    }

    /// Removes the last path and its steps.
    mutating func takePath() -> (path: [any CodingKey], steps: [CodingFrame]) {
        defer { (path, steps) = ([], []) }
        return (path, steps)
    }

    /// - Parameter steps: One for each of the path's keys; none for a last key that is not in a frame.
    mutating func keepPath(_ path: [any CodingKey], _ steps: [CodingFrame]) { (self.path, self.steps) = (path, steps) }

    /// The details of the value at `index`, if they were the last that were kept.
    func details(of index: Int) -> (any Error)? { detailed == index ? details : nil }

    mutating func keep(_ details: any Error, of index: Int) {
        self.details = details
        detailed = index
    }

    mutating func keep(_ description: String, _ subject: DescriptionCache.Subject) { descriptions.insert(description, subject) }
}

/// Descriptions of errors that depend on the program alone, and not on the document: a type that was expected and the kind of value that was there,
/// or a key that is missing. There are at most 128, each of at most 256 bytes.
struct DescriptionCache {
    /// What a description depends on.
    struct Subject: Equatable {
        private let type: UInt
        private let what: Int

        init(_ type: Any.Type, _ what: What) {
            self.type = UInt(bitPattern: unsafeBitCast(type, to: UnsafeRawPointer.self))
            self.what = what.code
        }

        /// The first slot in which its description may be.
        @inline(__always)
        var slot: Int {
            let hash = (UInt64(type) ^ UInt64(truncatingIfNeeded: what) << 48) &* 0x9E37_79B9_7F4A_7C15
            return Int(truncatingIfNeeded: hash >> 57)
        }
    }

    /// The error of a type.
    enum What {
        case mismatch(TapeEntry.Kind)
        case null
        case noContainer
        case doesNotFit
        /// A missing key, by its only byte.
        case missing(UInt8)

        var code: Int {
            switch self {
            case .mismatch(let kind): Int(kind.rawValue)
            case .null: 16
            case .noContainer: 17
            case .doesNotFit: 18
            case .missing(let key): 256 + Int(key)
            }
        }
    }

    private static let count = 128
    private static let probes = 4
    private static let maximumBytes = 256
    /// Empty before the first description.
    private var slots: [(subject: Subject, text: String)?] = []

    func find(_ subject: Subject) -> String? {
        guard !slots.isEmpty else { return nil }
        for i in subject.slot..<subject.slot + Self.probes {
            guard let slot = slots[i % Self.count] else { return nil }
            if slot.subject == subject { return slot.text }
        }
        return nil
    }

    /// Adds a description. If there is no room near its slot, it replaces another one.
    mutating func insert(_ text: String, _ subject: Subject) {
        guard text.utf8.count <= Self.maximumBytes else { return }
        if slots.isEmpty { slots = Array(repeating: nil, count: Self.count) }
        let near = (subject.slot..<subject.slot + Self.probes).lazy.map { $0 % Self.count }
        slots[near.first { slots[$0] == nil } ?? subject.slot] = (subject, text)
    }
}
