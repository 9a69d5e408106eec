import Foundation

/// Finds the public key in an X.509 certificate.
package enum X509Certificate {
    private static let integer: UInt8 = 0x02
    private static let explicitVersion: UInt8 = 0xA0

    /// Returns the `SubjectPublicKeyInfo` of a certificate in DER, including tag and length (RFC 5280 §4.1); `nil` if the bytes
    /// are not a certificate.
    package static func publicKeyInfo(in der: [UInt8]) -> [UInt8]? {
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
        // Skips signature algorithm, issuer, validity and subject.
        for _ in 0..<4 where fields.next(DERReader.sequence) == nil { return nil }
        guard let key = fields.next(DERReader.sequence) else { return nil }
        return Array(key.whole)
    }
}

/// The text form of certificates and keys (RFC 7468): base64 between a BEGIN line and an END line.
package enum PEMText {
    struct Block {
        /// The label, such as `CERTIFICATE` or `PRIVATE KEY`.
        var label: String
        /// The block from its first to its last line.
        var text: [UInt8]
        /// The lines between the first and the last line.
        var body: [UInt8]

        var isEncrypted: Bool {
            label.hasPrefix("ENCRYPTED ") || String(decoding: body, as: UTF8.self).contains("ENCRYPTED")
        }
    }

    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)
    private static let dashes = Array("-----".utf8)

    static func looksLikePEM(_ data: Data) -> Bool {
        data.firstRange(of: Data(begin)) != nil
    }

    /// Returns all blocks in order, without the text around them.
    ///
    /// - Throws: ``TrustError`` if a block has no end, or that of another block.
    static func blocks(in data: Data, of material: TrustMaterial) throws(TrustError) -> [Block] {
        var blocks: [Block] = []
        var current: Block?
        for line in data.split(omittingEmptySubsequences: true, whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            if let label = label(of: line, after: begin) {
                guard current == nil else { throw TrustError("\(material) has a PEM block inside another one") }
                current = Block(label: label, text: Array(line) + [0x0A], body: [])
                continue
            }
            guard current != nil else { continue }
            current?.text += Array(line) + [0x0A]
            if let label = label(of: line, after: end) {
                guard let block = current, block.label == label else {
                    throw TrustError("\(material) has a PEM block that ends with the label of another one")
                }
                blocks.append(block)
                current = nil
            } else {
                current?.body += Array(line) + [0x0A]
            }
        }
        guard current == nil else { throw TrustError("\(material) has a PEM block without an end") }
        return blocks
    }

    private static func label(of line: Data.SubSequence, after mark: [UInt8]) -> String? {
        var line = line
        while let last = line.last, last == 0x20 || last == 0x09 { line.removeLast() }
        guard line.starts(with: mark), line.count >= mark.count + dashes.count, line.suffix(dashes.count).elementsEqual(dashes)
        else { return nil }
        return String(decoding: line.dropFirst(mark.count).dropLast(dashes.count), as: UTF8.self)
    }

    /// Returns the certificates, in DER.
    ///
    /// - Throws: ``TrustError`` if there is none, or one is damaged.
    package static func certificates(in data: Data, of material: TrustMaterial) throws(TrustError) -> [[UInt8]] {
        var certificates: [[UInt8]] = []
        for block in try blocks(in: data, of: material) where ["CERTIFICATE", "X509 CERTIFICATE"].contains(block.label) {
            let digits = block.body.filter { $0 > 0x20 }
            guard let der = Data(base64Encoded: Data(digits)), X509Certificate.publicKeyInfo(in: Array(der)) != nil else {
                throw TrustError("certificate \(certificates.count + 1) in \(material) is damaged")
            }
            certificates.append(Array(der))
        }
        guard !certificates.isEmpty else { throw TrustError("\(material) contains no certificate in PEM") }
        return certificates
    }

    /// Returns certificates in DER as one PEM text.
    package static func text(_ certificates: [[UInt8]]) -> String {
        certificates.map { der in
            let digits = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            return "-----BEGIN CERTIFICATE-----\n\(digits)\n-----END CERTIFICATE-----\n"
        }.joined()
    }
}

/// Reads the elements of one level of a DER encoding (X.690 §8, §10), one after the other.
///
/// Accepts only one-byte tags and definite lengths in their shortest form. Never reads beyond the end, and never traps.
struct DERReader {
    struct Element {
        var tag: UInt8
        var content: ArraySlice<UInt8>
        /// The whole element, including tag and length.
        var whole: ArraySlice<UInt8>
    }

    static let sequence: UInt8 = 0x30

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Returns the next element; `nil` at the end, and if the encoding is invalid.
    package mutating func next() -> Element? {
        let start = rest.startIndex
        guard rest.count >= 2, rest[start] & 0x1F != 0x1F else { return nil }
        var position = start + 2
        var length = Int(rest[start + 1])
        if length >= 0x80 {
            let count = length & 0x7F
            guard (1...4).contains(count), rest.count >= 2 + count, rest[position] != 0 else { return nil }
            length = 0
            for _ in 0..<count {
                length = length << 8 | Int(rest[position])
                position += 1
            }
            guard length >= 0x80 else { return nil }
        }
        guard length <= rest.endIndex - position else { return nil }
        let end = position + length
        let element = Element(tag: rest[start], content: rest[position..<end], whole: rest[start..<end])
        rest = rest[end...]
        return element
    }

    /// Returns the next element if it has this tag.
    package mutating func next(_ tag: UInt8) -> Element? {
        guard let element = next(), element.tag == tag else { return nil }
        return element
    }
}
