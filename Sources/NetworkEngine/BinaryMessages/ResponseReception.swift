/// What of a response has arrived on a stream: the rules for its parts that HTTP/2 and HTTP/3 share (RFC 9113 §8.1, RFC 9114
/// §4.1).
struct ResponseReception: Sendable {
    /// What the method of a request says about its response.
    enum Method: Sendable {
        /// The response has no body, whatever its fields say.
        case head
        /// A successful response makes the stream a tunnel (RFC 9113 §8.5, RFC 9114 §4.4, RFC 8441).
        case connect
        case other
    }

    /// What is expected next.
    enum Stage: Sendable {
        case awaitingHead
        case receivingBody
        /// The trailers have arrived, and nothing may follow.
        case awaitingEnd
        case complete
    }

    /// What a block of fields is.
    enum Part: Equatable, Sendable {
        case interim(status: Int)
        case head(status: Int)
        case trailers
    }

    /// The number of informational responses before the final one.
    static let interimResponses = 64

    let method: Method
    private let version: MessageVersion
    private let limits: FieldLimits
    private(set) var stage = Stage.awaitingHead
    /// Whether the stream carries bytes of another protocol in both directions.
    private(set) var isTunnel = false
    /// The length of the body that the head announces.
    private var announcedLength: Int64?
    /// The number of bytes of the body that have arrived.
    private var receivedBytes: Int64 = 0
    /// The number of informational responses.
    private var interims = 0
    /// The size of all heads and trailers that have arrived.
    private var fieldBytes = 0

    init(_ version: MessageVersion, _ method: Method, limits: FieldLimits) {
        self.version = version
        self.method = method
        self.limits = limits
    }

    /// Whether nothing of the response has arrived.
    var isUntouched: Bool { stage == .awaitingHead && interims == 0 }

    /// A block for the fields that arrive next.
    var emptyBlock: FieldBlock {
        FieldBlock(version, isTrailers: stage != .awaitingHead, limits: limits, after: fieldBytes)
    }

    /// Notes a block that is finished, and says what it is.
    ///
    /// - Throws: The failure of the block, or of its place in the response.
    mutating func receive(_ block: FieldBlock) throws(MessageFailure) -> Part {
        fieldBytes = block.size
        if let failure = block.failure { throw failure }
        guard stage == .awaitingHead else {
            guard !isTunnel else { throw MessageFailure("fields arrive in a tunnel (\(version.section(.tunnel)))") }
            stage = .awaitingEnd
            return .trailers
        }
        guard block.status >= 200 else {
            guard interims < Self.interimResponses else {
                throw MessageFailure(
                    "there are more than \(Self.interimResponses) interim responses before the final one", .limit)
            }
            interims += 1
            return .interim(status: block.status)
        }
        isTunnel = method == .connect && block.status < 300
        let hasNoBody = method == .head || block.status == 204 || block.status == 304
        // A tunnel has no length (RFC 9110 §9.3.6).
        announcedLength = isTunnel ? nil : hasNoBody ? 0 : block.length
        stage = .receivingBody
        return .head(status: block.status)
    }

    /// Notes that content of this length arrives, of which a part may follow later.
    mutating func receiveContent(_ count: Int64) throws(MessageFailure) {
        let (sum, isTooLarge) = receivedBytes.addingReportingOverflow(count)
        receivedBytes = isTooLarge ? .max : sum
        if method == .head, count > 0 {
            throw MessageFailure("the response to HEAD has content (\(version.section(.length)))")
        }
        if let announcedLength, receivedBytes > announcedLength {
            throw MessageFailure(
                "the body is longer than its Content-Length of \(announcedLength) bytes (\(version.section(.length)))")
        }
    }

    /// Completes the response.
    mutating func finish() throws(MessageFailure) {
        guard stage != .awaitingHead else {
            throw MessageFailure("the stream ends before the head of the response (\(version.section(.order)))")
        }
        if let announcedLength, receivedBytes != announcedLength {
            throw MessageFailure(
                "the body has \(receivedBytes) bytes, and its Content-Length is \(announcedLength) (\(version.section(.length)))",
                .truncation)
        }
        stage = .complete
    }
}
