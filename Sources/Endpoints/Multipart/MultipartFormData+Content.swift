import Foundation

extension MultipartFormData {
    /// Bytes in memory that are worth a copy, to be sent together with what stands before and after them.
    private static let copiedBytes = 64 << 10

    /// The form as a body: in memory when all parts are, else one whose parts are read while it is sent.
    ///
    /// - Throws: ``RequestGenerationError`` for the field `body`.
    public func content() throws(RequestGenerationError) -> RequestContent {
        let delimiter = try checkedDelimiter()
        if parts.allSatisfy({ $0.content.data != nil }) { return .data(try joined()) }
        var glue = Data()
        var segments: [ContentSequence.Segment] = []
        for part in parts {
            glue.append(contentsOf: "--\(boundary)\r\n\(try part.head())".utf8)
            if let data = part.content.data, data.count <= Self.copiedBytes {
                glue.append(data)
            } else {
                segments.append(ContentSequence.Segment(.data(glue)))
                glue = Data()
                // Those in memory have been looked at.
                let forbidden = part.content.data == nil && !isRandom ? delimiter : nil
                segments.append(ContentSequence.Segment(part.content, name: part.name, forbidden: forbidden))
            }
            glue.append(contentsOf: "\r\n".utf8)
        }
        glue.append(contentsOf: "--\(boundary)--\r\n".utf8)
        segments.append(ContentSequence.Segment(.data(glue)))
        return RequestContent(source: .sequence(ContentSequence(segments)))
    }

    /// The bytes of a form whose parts are all in memory.
    ///
    /// - Throws: ``RequestGenerationError`` for the field `body`, also for a part from a file or a stream: no I/O is performed.
    public func encoded() throws(RequestGenerationError) -> Data {
        _ = try checkedDelimiter()
        return try joined()
    }

    private func joined() throws(RequestGenerationError) -> Data {
        var data = Data()
        data.reserveCapacity(
            parts.reduce(boundary.utf8.count + 8) { $0 + ($1.content.data?.count ?? 0) + boundary.utf8.count + 200 })
        for part in parts {
            guard let content = part.content.data else {
                throw RequestGenerationError(.body, "the part \"\(part.name.printable)\" is not in memory")
            }
            data.append(contentsOf: "--\(boundary)\r\n\(try part.head())".utf8)
            data.append(content)
            data.append(contentsOf: "\r\n".utf8)
        }
        data.append(contentsOf: "--\(boundary)--\r\n".utf8)
        return data
    }

    /// - Returns: What no part may contain, and no part in memory does.
    private func checkedDelimiter() throws(RequestGenerationError) -> BytePattern {
        guard boundary.consists(of: .boundary), (1...70).contains(boundary.utf8.count) else {
            throw RequestGenerationError(.body, "the multipart boundary is not 1 to 70 characters of RFC 2046 §5.1.1")
        }
        let delimiter = BytePattern("--\(boundary)")
        for part in parts {
            guard let data = part.content.data, data.withUnsafeBytes(delimiter.occurs) else { continue }
            throw RequestGenerationError(.body, "the part \"\(part.name.printable)\" contains the multipart boundary")
        }
        return delimiter
    }
}
