import Foundation

/// Contents that are sent one after another, as the parts of a form are.
package struct ContentSequence: Sendable, Hashable {
    package struct Segment: Sendable, Hashable {
        package let content: RequestContent
        /// For errors.
        package let name: String?
        /// What may not occur in it.
        package let forbidden: BytePattern?

        package init(_ content: RequestContent, name: String? = nil, forbidden: BytePattern? = nil) {
            self.content = content
            self.name = name
            self.forbidden = forbidden
        }
    }

    package let segments: [Segment]

    package init(_ segments: [Segment]) {
        self.segments = segments
    }

    /// All bytes together, as far as that is known without looking at a file.
    package var knownLength: Int64? {
        var total: Int64 = 0
        for segment in segments {
            guard let length = segment.content.knownLength else { return nil }
            let (sum, isTooLarge) = total.addingReportingOverflow(length)
            guard !isTooLarge else { return nil }
            total = sum
        }
        return total
    }
}

extension RequestContent {
    /// The number of bytes, as far as that is known without looking at a file.
    package var knownLength: Int64? {
        switch source {
        case .data(let data): Int64(data.count)
        case .file: nil
        case .stream(let stream): stream.length
        case .sequence(let sequence): sequence.knownLength
        }
    }

    var fileName: String? {
        if case .file(let url) = source { url.lastPathComponent } else { nil }
    }
}
