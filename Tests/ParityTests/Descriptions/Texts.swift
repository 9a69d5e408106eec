import Foundation

private enum Payload { case value(Any, Int) }
private struct Property { var value: Any }

/// Returns all texts in which a value is shown: its own descriptions, and those of collections, errors and types that contain it.
func texts(of value: Any) -> [String] {
    var shown = ["\(value)", String(reflecting: value)]
    let holders: [Any] = [
        value, value as Any? as Any, [value], ["key": value], Payload.value(value, 1), Property(value: value),
        Result<Any, any Error>.success(value), (1, value),
    ]
    for holder in holders {
        var dumped = ""
        dump(holder, to: &dumped)
        // The elements of an array of bytes, as in its description.
        dumped.replace(#/\n *- (\d+)\b/#) { ", \($0.1)" }
        shown += [String(describing: holder), String(reflecting: holder), dumped]
    }
    print(value, to: &shown[0])
    debugPrint(value, to: &shown[1])
    if let error = value as? any Error {
        let bridged = error as NSError
        shown += [
            error.localizedDescription, "\(bridged)", "\(bridged.userInfo)", bridged.domain,
            "\(Result<Int, any Error>.failure(error))",
        ]
    }
    return shown
}
