import Foundation

extension MultipartFormData {
    /// The maximum size of a part in memory that is copied, so that it is sent together with the bytes before and after it.
    private static let copiedBytes = 64 << 10

    /// Returns the form as a body, which is in memory if all parts are, and otherwise is read while it is sent.
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
                // Parts in memory have already been searched.
                let forbidden = part.content.data == nil && !isRandom ? delimiter : nil
                segments.append(ContentSequence.Segment(part.content, name: part.name, forbidden: forbidden))
            }
            glue.append(contentsOf: "\r\n".utf8)
        }
        glue.append(contentsOf: "--\(boundary)--\r\n".utf8)
        segments.append(ContentSequence.Segment(.data(glue)))
        return RequestContent(source: .sequence(ContentSequence(segments)))
    }

    /// Returns the encoded form if all of its parts are in memory. No I/O is performed.
    ///
    /// - Throws: ``RequestGenerationError`` for the field `body`, also if a part comes from a file or a stream.
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

    /// Checks the boundary and the parts in memory.
    ///
    /// - Returns: The delimiter, which no part may contain.
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
