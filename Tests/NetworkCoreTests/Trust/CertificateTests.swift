import Foundation
import NetworkSupport
import Testing
import TransferTestSupport

@testable import NetworkTransport

struct CertificateTests {
    private let der = Array(SampleCertificate.der)

    private func pin(_ der: [UInt8]) -> String? {
        X509Certificate.publicKeyInfo(in: der).map { Data(SHA256.digest(of: $0)).base64EncodedString() }
    }

    @Test func `the pin of a certificate's key is the same as computed by OpenSSL`() {
        #expect(pin(der) == SampleCertificate.pin)
    }

    @Test func `a pin has the same value if it is created from text, bytes, PEM or DER`() throws {
        let digest = try #require(Data(base64Encoded: SampleCertificate.pin))
        let windows = "notes\r\n" + SampleCertificate.pem.replacingOccurrences(of: "\n", with: " \r\n")
        let pins: [TrustPin] = [
            .publicKey(sha256: SampleCertificate.pin), .publicKey(sha256: "sha256//" + SampleCertificate.pin),
            .publicKey(sha256: "sha256/" + SampleCertificate.pin), .publicKey(sha256: digest),
            .certificate(.data(SampleCertificate.der)), .certificate(.data(Data(SampleCertificate.pem.utf8))),
            .certificate(.data(Data(windows.utf8))),
        ]
        for pin in pins { #expect(try pin.load() == Array(digest)) }
    }

    @Test func `a truncated certificate is rejected`() {
        for count in 0..<der.count { #expect(X509Certificate.publicKeyInfo(in: Array(der.prefix(count))) == nil) }
        #expect(X509Certificate.publicKeyInfo(in: der + [0]) == nil)
    }

    // X.690 §8.1.2.4, §8.1.3.6, §10.1.
    @Test(arguments: [
        [], [0x30], [0x30, 0x01], [0x30, 0x80, 0x00, 0x00], [0x30, 0x81, 0x01, 0x00], [0x30, 0x82, 0x00, 0x80],
        [0x1F, 0x01, 0x00],
        [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x85, 0x01, 0x00, 0x00, 0x00, 0x00], [0x30, 0x88, 0xFF, 0xFF, 0xFF, 0xFF],
    ])
    func `bytes that are not valid DER are rejected`(bytes: [UInt8]) {
        var reader = DERReader(bytes[...])
        #expect(reader.next() == nil)
    }

    @Test func `DER elements are read in sequence, including those with long lengths`() {
        let long: [UInt8] = [0x04, 0x81, 0x80] + [UInt8](repeating: 7, count: 128)
        let bytes: [UInt8] = [0x02, 0x01, 0x05] + long + [0x05, 0x00]
        var reader = DERReader(bytes[...])
        #expect(reader.next(0x02)?.content == [5])
        #expect(reader.next()?.whole == long[...])
        #expect(reader.next(0x30) == nil)
        #expect(reader.isAtEnd)
    }

    @Test func `the certificate parsers accept any bytes without trapping`() {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<20_000 {
            var bytes = der
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: index)
                default: bytes.insert(UInt8.random(in: 0x7F...0x89, using: &random), at: index)
                }
            }
            if let key = X509Certificate.publicKeyInfo(in: bytes) { #expect(key.count <= bytes.count) }
            var reader = DERReader(bytes[Int.random(in: 0..<bytes.count, using: &random)...])
            while reader.next() != nil {}
            #expect(SHA256.digest(of: Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))).count == 32)
        }
        let text = Array(SampleCertificate.pem.utf8)
        for _ in 0..<2000 {
            var bytes = text
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                bytes[index] = [0x0A, 0x0D, 0x2D, 0x20, 0x00, 0xFF, 0x41].randomElement(using: &random) ?? 0
            }
            _ = try? PEMText.certificates(in: Data(bytes), of: .data(Data(bytes)))
        }
    }
}
