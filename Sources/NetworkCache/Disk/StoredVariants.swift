import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// The variants under one key (RFC 9111 §4.1) in the format of a record. The payload contains their encodings one after another.
/// The info contains for each variant the time at which it was received, its length, and a digest of its varying fields, so that
/// variants can be distinguished without decoding them. The encodings have no checksum: that of the payload is compared when the record is
/// read.
struct StoredVariants {
    struct Note: Equatable {
        /// ``StoredResponse/responseTime``.
        var time: Date
        var varying: String
        var byteCount: Int
    }

    struct Variant {
        var time: Date
        var varying: String
        var bytes: Data

        init(_ response: StoredResponse) {
            self.init(
                time: response.responseTime, varying: Self.digest(of: response.varying),
                bytes: response.encoded(hasChecksum: false))
        }

        init(time: Date, varying: String, bytes: Data) {
            self.time = time
            self.varying = varying
            self.bytes = bytes
        }

        private static func digest(of varying: [StoredResponse.VaryingField]) -> String {
            guard !varying.isEmpty else { return "" }
            var digest = DigestText()
            for field in varying {
                digest.add(field.name)
                digest.add(field.value.map { "=" + $0 } ?? "")
            }
            return digest.hexadecimal
        }
    }

    private var variants: [Variant] = []
    /// The key of the record.
    private var recordKey: [UInt8] = []

    init() {}

    /// Creates the variants of a record, or returns `nil` if its contents are invalid.
    init?(_ record: DiskRecord) {
        guard let notes = Self.notes(in: record.info) else { return nil }
        recordKey = record.key
        var rest = record.payload
        for note in notes {
            guard note.byteCount <= rest.count else { return nil }
            variants.append(Variant(time: note.time, varying: note.varying, bytes: rest.prefix(note.byteCount)))
            rest = rest.dropFirst(note.byteCount)
        }
        guard rest.isEmpty else { return nil }
    }

    /// Returns the variants that can be decoded and have the key with which the record was found.
    func entries(of key: CacheKey) -> [CacheEntry] {
        variants.compactMap { variant in
            let response = try? StoredResponse(
                encoded: variant.bytes, maximumBytes: .max, comparesChecksum: false, expected: (key, recordKey))
            guard let response, response.key == key else { return nil }
            return CacheEntry(response)
        }
    }

    /// Replaces the variant with the same varying fields, and evicts the variants stored first until the limits are met.
    ///
    /// - Parameters:
    ///   - new: The new variant, or `nil` to only remove the old one.
    ///   - old: A variant with the varying fields of the one to replace.
    /// - Returns: The reasons for the removal of each removed variant.
    mutating func put(_ new: Variant?, insteadOf old: Variant, maximumBytes: Int, maximumCount: Int) -> [CacheRemoval] {
        let before = variants.count
        variants.removeAll { $0.varying == old.varying }
        var removals = [CacheRemoval](repeating: .replaced, count: before - variants.count)
        guard let new else { return removals }
        variants.append(new)
        while variants.count > maximumCount || variants.count > 1 && variants.reduce(0, { $0 + $1.bytes.count }) > maximumBytes {
            variants.removeFirst()
            removals.append(.evicted)
        }
        return removals
    }

    /// Removes the variants whose time meets a condition.
    ///
    /// - Returns: The number of removed variants.
    mutating func removeAll(where isSelected: (Date) -> Bool) -> Int {
        let before = variants.count
        variants.removeAll { isSelected($0.time) }
        return before - variants.count
    }

    // MARK: Encoding

    var replacement: RecordFolder.Replacement {
        guard !variants.isEmpty else { return .nothing }
        var info = ByteWriter(capacity: 96 * variants.count)
        info.add(UInt32(variants.count))
        for variant in variants {
            info.add(variant.time.timeIntervalSinceReferenceDate.bitPattern)
            info.add(variant.varying)
            info.add(UInt64(variant.bytes.count))
        }
        var payload = variants[0].bytes
        for variant in variants.dropFirst() { payload.append(variant.bytes) }
        return .record(info: Array(info.data), payload: payload)
    }

    static func notes(in info: [UInt8]) -> [Note]? {
        var reader = ByteReader(Data(info))
        return try? reader.list("variants") { (reader) throws(StoredResponseError) in
            let time = try reader.date("time")
            let varying = try reader.text("varying")
            guard let count = Int(exactly: try reader.number("length", as: UInt64.self)) else {
                throw StoredResponseError(.malformed, "the length of a variant is invalid")
            }
            return Note(time: time, varying: varying, byteCount: count)
        }
    }

    static func recordKey(_ key: CacheKey) -> RecordKey {
        var writer = ByteWriter(capacity: 64 + key.url.utf8.count + key.partition.utf8.count)
        writer.add(key)
        return RecordKey(Array(writer.data), group: Array(key.url.utf8))
    }

    static func key(in bytes: [UInt8]) -> CacheKey? {
        var reader = ByteReader(Data(bytes))
        return try? reader.key()
    }
}
