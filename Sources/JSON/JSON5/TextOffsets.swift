import NetworkSupport

/// Which byte of a text each byte of its conversion comes from.
struct TextOffsets {
    /// Places from which on the difference is another one, in order.
    private var steps: [(converted: Int, original: Int)] = []

    mutating func add(_ original: Int, at converted: Int) {
        if let last = steps.last {
            if last.converted - last.original == converted - original { return }
            if last.converted == converted { steps.removeLast() }
        }
        steps.append((converted, original))
    }

    /// The offset in the text that a byte of its conversion comes from.
    func original(of converted: Int) -> Int {
        var (low, high) = (0, steps.count)
        while low < high {
            let middle = (low + high) / 2
            if steps[middle].converted <= converted { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return 0 }
        let step = steps[low - 1]
        let offset = step.original + converted - step.converted
        // Not beyond the next step: a conversion may be longer than its text.
        return low < steps.count ? min(offset, steps[low].original) : offset
    }
}

/// A text that was converted before it was scanned, for the places in errors.
final class ConvertedText {
    /// The text, followed by ``NetworkSupport/PaddedBytes/padding`` zeros.
    let bytes: [UInt8]
    private let offsets: TextOffsets
    private let count: Int

    init(_ bytes: [UInt8], _ offsets: TextOffsets) {
        self.bytes = bytes
        self.offsets = offsets
        count = bytes.count - PaddedBytes.padding
    }

    func offset(of converted: Int) -> Int { min(offsets.original(of: converted), count) }
}
