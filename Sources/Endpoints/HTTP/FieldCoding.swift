// The bytes of field values: UTF-8, or else ISO-8859-1 (RFC 9110 §5.5). A value that is sent back, such as an entity tag, keeps its bytes.
import NetworkSupport

extension HeaderFields.Field {
    /// Creates a field line from a name and the received bytes of its value. It never fails: bytes that are not UTF-8 are read as
    /// ISO-8859-1.
    public init(name: String, received bytes: some Collection<UInt8>) {
        if let text = String(valid: bytes) {
            self.init(name: name, value: text)
        } else {
            self.init(name: name, value: String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })))
            isLatin1 = true
        }
    }

    /// The bytes that are sent for the value: those that were received, or UTF-8.
    public var bytes: [UInt8] { latin1Bytes ?? Array(value.utf8) }

    /// The bytes of a value that was received as ISO-8859-1. `nil` for any other value.
    package var latin1Bytes: [UInt8]? {
        guard isLatin1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(value.utf8.count)
        for scalar in value.unicodeScalars {
            // The value was changed after it was received.
            guard let byte = UInt8(exactly: scalar.value) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }
}
