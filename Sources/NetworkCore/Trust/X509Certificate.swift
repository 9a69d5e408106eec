/// The one thing we look up in a certificate.
enum X509Certificate {
    private static let integer: UInt8 = 0x02
    private static let explicitVersion: UInt8 = 0xA0

    /// The `SubjectPublicKeyInfo` of a certificate in DER, tag and length included (RFC 5280 §4.1); `nil` where it is none.
    static func publicKeyInfo(in der: [UInt8]) -> [UInt8]? {
        var outer = DERReader(der[...])
        guard let certificate = outer.next(DERReader.sequence), outer.isAtEnd else { return nil }
        var parts = DERReader(certificate.content)
        guard let toBeSigned = parts.next(DERReader.sequence), parts.next(DERReader.sequence) != nil, parts.next() != nil,
            parts.isAtEnd
        else { return nil }
        var fields = DERReader(toBeSigned.content)
        guard var field = fields.next() else { return nil }
        if field.tag == explicitVersion {
            guard let next = fields.next() else { return nil }
            field = next
        }
        guard field.tag == integer else { return nil }
        // Signature algorithm, issuer, validity, subject.
        for _ in 0..<4 where fields.next(DERReader.sequence) == nil { return nil }
        guard let key = fields.next(DERReader.sequence) else { return nil }
        return Array(key.whole)
    }
}
