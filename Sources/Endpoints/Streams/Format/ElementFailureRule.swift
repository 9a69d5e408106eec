/// What becomes of a stream when one of its elements is no value of the type asked for.
///
/// Only elements are meant: a stream that is broken as such, and a limit that is hit, always end it.
public struct ElementFailureRule: Sendable {
    /// `nil` stops.
    let report: (@Sendable (Int, StreamParsingError) -> Void)?

    /// The stream ends with the error.
    public static let stop = ElementFailureRule(report: nil)

    /// The element is passed over, and nobody hears of it.
    public static let skip = ElementFailureRule { _, _ in }

    /// The element is passed over.
    ///
    /// - Parameter report: Hears of each, with the number of elements before it. Runs where the stream is read, before the next element.
    public static func skip(_ report: @escaping @Sendable (_ index: Int, _ error: StreamParsingError) -> Void)
        -> ElementFailureRule
    {
        ElementFailureRule(report: report)
    }
}
