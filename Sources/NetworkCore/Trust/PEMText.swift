import Foundation

/// The text form of certificates and keys (RFC 7468): base64 between a line that begins it and one that ends it.
enum PEMText {
    struct Block {
        /// `CERTIFICATE`, `PRIVATE KEY` and the like.
        var label: String
        /// From the first to the last line of the block.
        var text: [UInt8]
        /// The lines between them.
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

    /// All blocks in their order; text around them is left out.
    ///
    /// - Throws: ``TrustFlaw`` where a block has no end, or another one's.
    static func blocks(in data: Data, of material: TrustMaterial) throws(TrustFlaw) -> [Block] {
        var blocks: [Block] = []
        var current: Block?
        for line in data.split(omittingEmptySubsequences: true, whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            if let label = label(of: line, after: begin) {
                guard current == nil else { throw TrustFlaw("\(material) has a PEM block inside another one") }
                current = Block(label: label, text: Array(line) + [0x0A], body: [])
                continue
            }
            guard current != nil else { continue }
            current?.text += Array(line) + [0x0A]
            if let label = label(of: line, after: end) {
                guard let block = current, block.label == label else {
                    throw TrustFlaw("\(material) has a PEM block that ends as another one")
                }
                blocks.append(block)
                current = nil
            } else {
                current?.body += Array(line) + [0x0A]
            }
        }
        guard current == nil else { throw TrustFlaw("\(material) has a PEM block without an end") }
        return blocks
    }

    private static func label(of line: Data.SubSequence, after mark: [UInt8]) -> String? {
        var line = line
        while let last = line.last, last == 0x20 || last == 0x09 { line.removeLast() }
        guard line.starts(with: mark), line.count >= mark.count + dashes.count, line.suffix(dashes.count).elementsEqual(dashes)
        else { return nil }
        return String(decoding: line.dropFirst(mark.count).dropLast(dashes.count), as: UTF8.self)
    }

    /// The certificates, in DER.
    ///
    /// - Throws: ``TrustFlaw`` where there is none, or one is damaged.
    static func certificates(in data: Data, of material: TrustMaterial) throws(TrustFlaw) -> [[UInt8]] {
        var certificates: [[UInt8]] = []
        for block in try blocks(in: data, of: material) where ["CERTIFICATE", "X509 CERTIFICATE"].contains(block.label) {
            let digits = block.body.filter { $0 > 0x20 }
            guard let der = Data(base64Encoded: Data(digits)), X509Certificate.publicKeyInfo(in: Array(der)) != nil else {
                throw TrustFlaw("certificate \(certificates.count + 1) in \(material) is damaged")
            }
            certificates.append(Array(der))
        }
        guard !certificates.isEmpty else { throw TrustFlaw("\(material) holds no certificate in PEM") }
        return certificates
    }

    /// Certificates in DER, as one PEM text.
    static func text(_ certificates: [[UInt8]]) -> String {
        certificates.map { der in
            let digits = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            return "-----BEGIN CERTIFICATE-----\n\(digits)\n-----END CERTIFICATE-----\n"
        }.joined()
    }
}
