/// The response statuses an endpoint takes as a success (RFC 9110 §15).
///
/// ```swift
/// var acceptedStatuses: AcceptedStatuses { .success + [304, 404] }
/// ```
public struct AcceptedStatuses: Sendable, Hashable, ExpressibleByArrayLiteral {
    private var ranges: [Range<Int>]

    /// No status at all.
    public init() {
        ranges = []
    }

    public init(_ ranges: Range<Int>...) {
        self.ranges = ranges
    }

    public init(arrayLiteral elements: Int...) {
        ranges = elements.map { $0..<($0 == .max ? $0 : $0 + 1) }
    }

    /// 200..<300
    public static let success = AcceptedStatuses(200..<300)
    /// Every status: nothing is an error.
    public static let any = AcceptedStatuses(0..<1000)

    public func contains(_ status: Int) -> Bool {
        ranges.contains { $0.contains(status) }
    }

    public static func + (left: AcceptedStatuses, right: AcceptedStatuses) -> AcceptedStatuses {
        var both = left
        both.ranges += right.ranges
        return both
    }
}
