import Foundation

@testable import NetworkTransport

/// Neither a line end nor white space around it.
func isClean(_ text: String) -> Bool {
    let outer: Set<UInt8> = [0x20, 0x09, 0x0D]
    let bytes = Array(text.utf8)
    guard let first = bytes.first, let last = bytes.last else { return true }
    return !outer.contains(first) && !outer.contains(last) && !bytes.contains(0x0A)
}

/// libFuzzer calls it with each of its inputs.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    // The end of the first empty line is the end of the head, as in a message.
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    let empty = lines.dropFirst().first { $0.isEmpty || $0.elementsEqual([0x0D]) }
    let end = min(empty.map { $0.endIndex + 1 } ?? count, count)
    var head = ResponseHead()
    head.append(UnsafeRawBufferPointer(rebasing: bytes[..<end]))
    head.complete(length: AnnouncedLength())
    head.append(UnsafeRawBufferPointer(rebasing: bytes[end...]))
    precondition(head.count == count, "bytes are lost from the count")
    let headers = head.headers
    let trailers = head.trailers
    precondition(headers.fields.count + trailers.fields.count <= lines.count, "more fields than lines")
    for field in headers.fields + trailers.fields {
        precondition(isClean(field.name) && isClean(field.value) && !field.name.contains(":"), "not clean: \(field)")
    }
    return 0
}
