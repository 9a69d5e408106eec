import DataTransfer
import Foundation

/// The bytes of a body as JSON text: as they are where they are UTF-8, else in base64.
enum BodyText {
    enum Place {
        case text, encoding
    }

    /// - Parameter wrong: Makes the error for a place.
    static func data(
        _ text: String, encoding: String, limit: Int, wrong: (Place, String) -> HTTPArchiveError
    ) throws -> Data {
        let data: Data
        switch encoding.lowercased() {
        case "":
            data = Data(text.utf8)
        case "base64":
            guard text.utf8.count / 4 * 3 <= limit.addingReportingOverflow(1024).partialValue else {
                throw tooLarge(limit, wrong)
            }
            guard let decoded = Data(base64Encoded: text) ?? Data(base64Encoded: text.filter { !$0.isWhitespace }) else {
                throw wrong(.text, "is not base64")
            }
            data = decoded
        default:
            throw wrong(.encoding, "is \"\(encoding.printable)\", which is not known; base64 is")
        }
        guard data.count <= limit else { throw tooLarge(limit, wrong) }
        return data
    }

    private static func tooLarge(_ limit: Int, _ wrong: (Place, String) -> HTTPArchiveError) -> HTTPArchiveError {
        wrong(.text, "is larger than the \(limit) bytes allowed (bodyBytes)")
    }

    static func text(_ data: Data) -> (text: String, isBase64: Bool) {
        // NUL and the like are legal in JSON strings, but mark bytes that are no text.
        let isBinary = data.contains { $0 < 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D && $0 != 0x1E }
        if !isBinary, let text = String(validating: data, as: UTF8.self) { return (text, false) }
        return (data.base64EncodedString(), true)
    }
}
