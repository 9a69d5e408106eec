import Endpoints
import HTTPTypes

extension HeaderFields {
    /// Creates header fields with the names and the bytes of these, line by line in their order.
    ///
    /// Bytes that are not UTF-8 are read as ISO-8859-1, and stay the same bytes when they are sent or converted again. Nothing is refused here:
    /// a value with a control character, which a lenient `HTTPField` may have, is an error when the request is sent. `indexingStrategy`, which
    /// concerns the compression of one connection, has no counterpart.
    public init(_ fields: HTTPFields) {
        self.init(
            fields.map { field in
                field.withUnsafeBytesOfValue { HeaderFields.Field(name: field.name.rawName, received: $0) }
            })
    }
}

extension HTTPFields {
    /// Creates header fields with the names and the bytes of these, line by line in their order.
    ///
    /// - Throws: ``HTTPTypesError`` with the name of the first field that `HTTPField` would change or refuse: a name that is not a token (RFC
    ///   9110 §5.6.2), or a value with a control character, or with white space at its start or end (§5.5).
    public init(_ headers: HeaderFields) throws(HTTPTypesError) {
        self.init()
        reserveCapacity(headers.count)
        for field in headers.fields { append(try HTTPField(field)) }
    }
}

extension HTTPField {
    /// Creates a field line with the name and the bytes of this one.
    ///
    /// - Throws: ``HTTPTypesError`` as for a list of fields.
    public init(_ field: HeaderFields.Field) throws(HTTPTypesError) {
        guard let name = HTTPField.Name(field.name) else {
            throw HTTPTypesError(.headerName(field.name), "it is not a token (RFC 9110 §5.6.2)")
        }
        let bytes = field.bytes
        guard HTTPField.isValidValue(bytes) else {
            throw HTTPTypesError(
                .headerValue(field.name), "it has a control character, or white space at its start or end (RFC 9110 §5.5)")
        }
        self.init(name: name, value: bytes)
    }
}
