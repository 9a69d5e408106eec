import Foundation
import TestSupport

private enum Payload { case value(Any, Int) }
private struct Property { var value: Any }

/// Returns all texts in which a value is shown: its own descriptions, and those of collections, errors and types that contain it.
///
/// A container shows the description, the debug description or the mirror of what it contains. By default, only one container is made.
func texts(of value: Any) -> [String] {
    var shown = ["\(value)", String(reflecting: value)]
    let holders: [Any] =
        isSlowRun
        ? [
            value, value as Any? as Any, [value], ["key": value], Payload.value(value, 1),
            Result<Any, any Error>.success(value), (1, value),
        ] : []
    for holder in holders + [Property(value: value)] {
        var dumped = ""
        dump(holder, to: &dumped)
        shown += [String(describing: holder), String(reflecting: holder), withoutItems(dumped)]
    }
    if isSlowRun {
        print(value, to: &shown[0])
        debugPrint(value, to: &shown[1])
    }
    if let error = value as? any Error {
        let bridged = error as NSError
        shown += [error.localizedDescription, "\(bridged)", "\(bridged.userInfo)", bridged.domain]
        if isSlowRun { shown.append("\(Result<Int, any Error>.failure(error))") }
    }
    return shown
}

/// Returns a dump in which the elements of an array of bytes are in one line, as in its description.
private func withoutItems(_ dump: String) -> String {
    var result = ""
    for line in dump.utf8.split(separator: UInt8(ascii: "\n")) {
        let item = line.drop { $0 == UInt8(ascii: " ") }
        let isNumber = item.starts(with: "- ".utf8) && item.dropFirst(2).allSatisfy { 0x30...0x39 ~= $0 }
        result += isNumber ? ", \(item.dropFirst(2))" : "\n\(line)"
    }
    return result
}
