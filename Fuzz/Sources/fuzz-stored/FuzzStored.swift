import Foundation

@testable import NetworkCache

/// With the checksum that belongs to it, as no damage but intent would have it.
func rechecked(_ bytes: Data) -> Data {
    guard bytes.count >= 16 else { return bytes }
    var bytes = bytes
    let sum = ByteWriter.checksum(of: bytes, from: 16)
    for index in 0..<8 { bytes[index + 8] = UInt8(truncatingIfNeeded: sum >> (8 * UInt64(index))) }
    return bytes
}

func check(_ bytes: Data) {
    guard let stored = try? StoredResponse(encoded: bytes) else { return }
    precondition(stored.body.count + stored.headers.count + stored.varying.count <= bytes.count, "more than there was")
    let again = try? StoredResponse(encoded: stored.encoded())
    precondition(again == stored, "what was written is not what was read")
    for field in stored.headers { precondition(!field.value.utf8.contains(10) && !field.value.utf8.contains(13), "two lines") }
    decide(stored)
}

/// The rules hold whatever the fields are.
func decide(_ stored: StoredResponse) {
    let terms = CacheEntry(stored).terms
    precondition(terms.initialAge >= 0, "the age is \(terms.initialAge)")
    let received = stored.responseTime.timeIntervalSinceReferenceDate
    for now in [received, received + 60, received + 1e10, received - 1e10] {
        let freshness = CacheOptions().freshness(terms, at: now)
        precondition(freshness.age >= 0 && freshness.lifetime >= 0 && freshness.lifetime <= 2_147_483_648, "\(freshness)")
        let decision = CacheOptions().decision(RequestTerms(stored.headers), terms, at: now)
        if case .serve = decision { precondition(freshness.isKnown && !terms.mustAsk, "served without asking") }
    }
    let kept = StorageRules.updatedHeaders(stored.headers, by: stored.headers, receivedAt: stored.responseTime)
    precondition(StorageRules.keptHeaders(kept, receivedAt: stored.responseTime).contains("Date"), "without a date")
    _ = StorageRules.mayStore(RequestTerms(), stored, terms, CacheOptions())
}

/// libFuzzer calls it with each of its inputs.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Data(bytes: start, count: count)
    check(bytes)
    check(rechecked(bytes))
    return 0
}
