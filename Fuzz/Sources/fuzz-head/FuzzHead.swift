import Foundation

@testable import NetworkTransport

/// What libcurl hands over: whole lines, the last one as it is.
func lines(of bytes: UnsafeBufferPointer<UInt8>) -> [UnsafeRawBufferPointer] {
    var lines: [UnsafeRawBufferPointer] = []
    var start = 0
    while start < bytes.count {
        let end = bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
        lines.append(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[start..<end])))
        start = end
    }
    return lines
}

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
    let lines = lines(of: UnsafeBufferPointer(start: start, count: count))
    var head = ResponseHead()
    for line in lines { head.receive(line) }
    precondition(head.count == count, "bytes are lost from the count")
    let headers = head.headers
    let trailers = head.trailers
    precondition(headers.fields.count + trailers.fields.count <= lines.count, "more fields than lines")
    for field in headers.fields + trailers.fields {
        precondition(isClean(field.name) && isClean(field.value) && !field.name.contains(":"), "not clean: \(field)")
    }
    if head.trailers.fields.isEmpty == false { precondition(head.isComplete, "trailers before the end of the head") }
    return 0
}
