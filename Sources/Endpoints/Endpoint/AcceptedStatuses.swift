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

    /// Every status in any of the ranges, upper bounds excluded.
    public init(_ ranges: Range<Int>...) {
        self.ranges = ranges
    }

    /// From single statuses: `[200, 304]`.
    public init(arrayLiteral elements: Int...) {
        ranges = elements.map { $0..<($0 == .max ? $0 : $0 + 1) }
    }

    /// 200..<300
    public static let success = AcceptedStatuses(200..<300)
    /// Every status: nothing is an error.
    public static let any = AcceptedStatuses(0..<1000)

    /// Whether a response with this status is a success.
    public func contains(_ status: Int) -> Bool {
        ranges.contains { $0.contains(status) }
    }

    /// The statuses of both.
    public static func + (left: AcceptedStatuses, right: AcceptedStatuses) -> AcceptedStatuses {
        var both = left
        both.ranges += right.ranges
        return both
    }
}
