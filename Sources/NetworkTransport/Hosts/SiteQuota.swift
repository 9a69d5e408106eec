/// Decides which entries are removed from a full table that servers fill, such as that of the cookies, so that no server pushes out what others
/// have stored. A pure function of the entries.
///
/// Room is divided fairly, from the top down:
///
/// 1. What was not received over TLS may have been sent by anybody on the way. It never takes room from what was, and keeps at most a stated share
///    if TLS needs the rest.
/// 2. Among sites, the one with the most entries loses first: a site with no more entries than its part of the room loses none, whatever others
///    store. If there are more sites than room, the least recently used ones lose theirs.
/// 3. Within a site, the same holds for the hosts that have set the entries.
/// 4. Of one host, entries of a lower class lose first, and in a class the least recently used ones.
enum SiteQuota {
    /// An entry of the table.
    struct Entry {
        /// Whether it was received over TLS, or was set by the program.
        var isTrusted: Bool
        /// The registrable domain, as far as it is known: ``PublicSuffixRule/site(of:)``.
        var site: String
        /// The host that has set it.
        var setter: String
        /// Entries of a lower class are removed first.
        var standing = 0
        /// The order of use: a larger number means more recently used. No two entries have the same.
        var recency: UInt64

        fileprivate var rank: (Int, UInt64) { (standing, recency) }
    }

    /// Returns the positions of the entries that have to be removed.
    ///
    /// - Parameters:
    ///   - entries: All entries, the new one included.
    ///   - limit: The maximum number of entries, at least 0.
    ///   - isTrusted: Whether the new entry was received over TLS. If not, no entry is removed that was.
    ///   - share: The number of entries without TLS that stay if TLS needs room.
    ///   - removesTenth: Whether a tenth of the room is freed at once, so that the next entries need no removal.
    static func excess(
        _ entries: [Entry], limit: Int, for isTrusted: Bool, share: Int = 0, removesTenth: Bool = false
    ) -> Set<Int> {
        guard entries.count > limit else { return [] }
        func lessened(_ room: Int) -> Int { room - (removesTenth ? room / 10 : 0) }
        let trusted = entries.indices.filter { entries[$0].isTrusted }
        let others = entries.indices.filter { !entries[$0].isTrusted }
        var kept = min(others.count, lessened(max(0, limit - trusted.count)))
        if isTrusted { kept = min(others.count, max(kept, min(share, limit))) }
        var removed = excess(of: others, keeping: kept, entries)
        if isTrusted, trusted.count > limit - kept {
            removed.formUnion(excess(of: trusted, keeping: lessened(limit - kept), entries))
        }
        return removed
    }

    /// Removes all but `count` entries: of sites, of their hosts, of the entries of a host.
    private static func excess(of positions: [Int], keeping count: Int, _ entries: [Entry]) -> Set<Int> {
        var removed: Set<Int> = []
        guard positions.count > count else { return removed }
        for (ofSite, count) in divided(positions, count, entries, by: \.site) {
            for (ofSetter, count) in divided(ofSite, count, entries, by: \.setter) where ofSetter.count > count {
                removed.formUnion(ofSetter.sorted { entries[$0].rank < entries[$1].rank }.prefix(ofSetter.count - count))
            }
        }
        return removed
    }

    /// Divides room among groups of entries: as much as a group needs, up to a level that is the same for all. What remains goes to the groups
    /// with the highest entry.
    private static func divided(
        _ positions: [Int], _ room: Int, _ entries: [Entry], by key: KeyPath<Entry, String>
    ) -> [(group: [Int], room: Int)] {
        let groups = Dictionary(grouping: positions) { entries[$0][keyPath: key] }.values.map { group in
            (group: group, top: group.map { entries[$0].rank }.max(by: <) ?? (0, 0))
        }.sorted { $0.group.count < $1.group.count }
        var (level, left) = (Int.max, room)
        for (index, element) in groups.enumerated() {
            let part = left / (groups.count - index)
            guard element.group.count <= part else {
                level = part
                break
            }
            left -= element.group.count
        }
        guard level < .max else { return groups.map { ($0.group, $0.group.count) } }
        let larger = groups.filter { $0.group.count > level }.sorted { $0.top > $1.top }
        let extra = left - larger.count * level
        return groups.filter { $0.group.count <= level }.map { ($0.group, $0.group.count) }
            + larger.enumerated().map { ($1.group, $0 < extra ? level + 1 : level) }
    }
}
