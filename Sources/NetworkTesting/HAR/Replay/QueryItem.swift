import DataTransfer

/// An item of a query or of a form, decoded: `+` is a space.
struct QueryItem: Sendable, Hashable {
    var name: String
    /// `nil` where there is no equals sign.
    var value: String?

    static func items(of text: some StringProtocol) -> [QueryItem] {
        text.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return QueryItem(name: decoded(parts[0]), value: parts.count > 1 ? decoded(parts[1]) : nil)
        }
    }

    /// As it is where it is not well encoded.
    private static func decoded(_ text: some StringProtocol) -> String {
        let spaced = String(text).replacing("+", with: " ")
        return PercentEncoding.decoded(spaced) ?? spaced
    }

    struct Difference: Sendable, Hashable {
        /// `item "page"`
        var place: String
        /// `"1", recorded "2"`; `nil` where there is nothing to compare, or the values could be secret.
        var values: String?
    }

    /// The first item that is not as recorded; `nil` where all are. `<redacted>` in a recorded one stands for any value.
    ///
    /// - Parameter ignoresOrder: Whether items may stand in another order; those of one name may not.
    static func difference(of items: [QueryItem], from recorded: [QueryItem], ignoresOrder: Bool) -> Difference? {
        let left = ignoresOrder ? sorted(items) : items
        let right = ignoresOrder ? sorted(recorded) : recorded
        for (item, recorded) in zip(left, right) {
            if item.name != recorded.name {
                // In order of name, the smaller one has no partner.
                return ignoresOrder && item.name > recorded.name ? recorded.missing : item.unrecorded
            }
            let isSame = recorded.value.map { RedactedPattern($0) }?.matches(item.value ?? "") ?? (item.value ?? "").isEmpty
            if !isSame { return item.difference(from: recorded) }
        }
        if left.count > right.count { return left[right.count].unrecorded }
        return right.count > left.count ? right[left.count].missing : nil
    }

    /// By name; the order within a name stays.
    private static func sorted(_ items: [QueryItem]) -> [QueryItem] {
        items.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }.map(\.element)
    }

    private var place: String { "item \"\(name.printable)\"" }
    private var missing: Difference { Difference(place: place + " is missing") }
    private var unrecorded: Difference { Difference(place: place + " is not recorded") }

    private func difference(from recorded: QueryItem) -> Difference {
        guard !Redaction.isSecret(field: name) else { return Difference(place: place + " differs") }
        return Difference(
            place: place + " differs", values: "\"\((value ?? "").printable)\", recorded \"\((recorded.value ?? "").printable)\"")
    }
}
