import NetworkTransport

/// A family of addresses, each of which is looked up separately.
enum AddressFamily: CaseIterable, Hashable {
    case ipv4
    case ipv6
}

/// A name and the family of its addresses that are wanted.
struct NameQuery: Hashable {
    var name: String
    var family: AddressFamily
}

/// The outcome of a lookup.
enum NameResult: Equatable {
    case addresses([IPAddress])
    /// The lookup has failed. A name without an address of the family is no failure.
    case failed(String)

    var addresses: [IPAddress] {
        if case .addresses(let addresses) = self { addresses } else { [] }
    }
}

/// The names that are being looked up, and the addresses that were found.
///
/// A state machine without I/O: its caller performs the lookups. Of each query, only one is performed at a time. What it finds is kept for a short
/// time, also if no attempt waits for it any more, and until the attempts to connect to all of the addresses have failed.
struct NameTable<Waiter> {
    /// What to do with a query.
    enum Step {
        /// These addresses were found before.
        case found([IPAddress])
        /// The waiter is notified later. If `startsLookup`, the caller has to perform the lookup.
        case wait(startsLookup: Bool)
    }

    private struct Entry {
        var addresses: [IPAddress] = []
        /// Until when the addresses are used, in nanoseconds of the monotonic clock.
        var end: UInt64 = 0
        /// Those that wait for the lookup that is being performed; `nil` if none is.
        var waiters: [Int: Waiter]?
    }

    /// The largest number of names whose addresses are kept.
    private let maximum: Int
    private var entries: [NameQuery: Entry] = [:]
    private var nextTicket = 0

    /// Creates an empty table.
    ///
    /// - Parameter maximum: The largest number of queries whose addresses are kept. Lookups in progress are not limited here.
    init(maximum: Int = 1024) {
        self.maximum = maximum
    }

    /// The number of names with addresses or a lookup in progress.
    var count: Int { entries.count }

    /// Asks for the addresses of a name.
    ///
    /// - Parameter usesFound: Whether addresses that were found before are good enough.
    /// - Returns: What to do, and a ticket by which the waiter is removed.
    mutating func ask(_ query: NameQuery, for waiter: Waiter, usesFound: Bool = true, at now: UInt64) -> (Step, ticket: Int) {
        nextTicket += 1
        let ticket = nextTicket
        var entry = entries[query] ?? Entry()
        if usesFound, entry.end > now { return (.found(entry.addresses), ticket) }
        let starts = entry.waiters == nil
        entry.waiters = entry.waiters ?? [:]
        entry.waiters?[ticket] = waiter
        entries[query] = entry
        return (.wait(startsLookup: starts), ticket)
    }

    /// Removes a waiter, if it is still there. The lookup goes on, for others.
    mutating func withdraw(_ ticket: Int, from query: NameQuery) {
        entries[query]?.waiters?[ticket] = nil
    }

    /// Records the outcome of a lookup.
    ///
    /// - Parameter lifetime: How long the addresses are used, in nanoseconds. A failure is never kept.
    /// - Returns: Those that have waited for it, the first one first.
    mutating func settle(_ query: NameQuery, _ result: NameResult, lifetime: UInt64, at now: UInt64) -> [Waiter] {
        let waiters = entries[query]?.waiters?.sorted { $0.key < $1.key }.map(\.value) ?? []
        entries[query] = nil
        if case .addresses(let addresses) = result, lifetime > 0 {
            makeRoom(at: now)
            entries[query] = Entry(addresses: addresses, end: now &+ lifetime)
        }
        return waiters
    }

    /// Forgets the addresses of a name, since none of them can be connected to.
    mutating func forget(_ name: String) {
        for family in AddressFamily.allCases { entries[NameQuery(name: name, family: family)]?.end = 0 }
    }

    private mutating func makeRoom(at now: UInt64) {
        guard entries.count >= maximum else { return }
        entries = entries.filter { $0.value.waiters != nil || $0.value.end > now }
        guard entries.count >= maximum else { return }
        entries = entries.filter { $0.value.waiters != nil }
    }
}
