/// The state machine of a version of HTTP that carries each request on a stream, as far as ``StreamExchanges`` uses it.
protocol StreamStateMachine {
    associatedtype StreamNumber: FixedWidthInteger & Sendable
    associatedtype HeadEncoder: FieldEncoder
    associatedtype FailureCode: StreamErrorCode

    /// The fields of the last event of a head or of trailers.
    var block: FieldBlock { get }

    mutating func writePriority(_ id: StreamID<StreamNumber>, urgency: Int)
    mutating func writeContent(
        _ id: StreamID<StreamNumber>, upTo count: Int,
        _ fill: (UnsafeMutableRawBufferPointer) -> (count: Int, isEnd: Bool))
    mutating func writeTrailers(_ id: StreamID<StreamNumber>, _ write: (inout HeadEncoder, inout [UInt8]) -> Void)
    mutating func takeUnprocessed() -> [StreamID<StreamNumber>]
}
