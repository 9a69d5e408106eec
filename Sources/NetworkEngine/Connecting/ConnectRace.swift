/// Which addresses of a server are connected to, and when (Happy Eyeballs, RFC 8305).
///
/// A state machine that owns no socket and no clock. Addresses are added as they are found; the first connection that is established wins, and
/// ends the race. All times are in nanoseconds of the monotonic clock.
struct ConnectRace<Address: Hashable> {
    /// What to do next.
    enum Step: Equatable {
        /// Begin to connect to this address, and ask again.
        case connect(Address)
        /// Ask again at this time (`UInt64.max` for none), or when something has changed.
        case wait(until: UInt64)
        /// There is no other address, and no attempt is under way.
        case exhausted
    }

    /// The time between the beginnings of two attempts (RFC 8305 §5).
    static var attemptDelay: UInt64 { 250_000_000 }
    /// How long addresses of the other family are waited for (RFC 8305 §3).
    static var resolutionDelay: UInt64 { 50_000_000 }

    /// The addresses that were not tried yet, in order.
    private var untried: [Address] = []
    private var tried: [Address] = []
    /// The number of lookups that may add addresses.
    private var lookups: Int
    /// Until when the first attempt waits for other addresses.
    private var delayEnd: UInt64 = 0
    /// When the next attempt may begin beside others.
    private var nextBeginning: UInt64 = 0
    /// The number of attempts that are under way.
    private(set) var active = 0
    /// The number of attempts that have begun.
    private(set) var begun = 0

    /// Creates a race.
    ///
    /// - Parameter lookups: The number of lookups whose ends are reported.
    init(lookups: Int) {
        self.lookups = lookups
    }

    /// Whether addresses may still be added.
    var isLookingUp: Bool { lookups > 0 }

    /// Whether no address was found.
    var isEmpty: Bool { tried.isEmpty && untried.isEmpty }

    /// Records the end of a lookup.
    ///
    /// - Parameters:
    ///   - addresses: All addresses that are known now, in the order in which they are tried. Those that were tried are not tried again.
    ///   - awaitsOthers: Whether the other lookup is worth a short wait, because its addresses are preferred.
    mutating func endLookup(_ addresses: [Address], awaitsOthers: Bool, at now: UInt64) {
        lookups -= 1
        replace(addresses)
        if !isLookingUp || !awaitsOthers || untried.isEmpty {
            delayEnd = 0
        } else if delayEnd == 0 {
            delayEnd = now &+ Self.resolutionDelay
        }
    }

    /// Adds addresses that need no lookup.
    mutating func replace(_ addresses: [Address]) {
        let tried = Set(tried)
        untried = tried.isEmpty ? addresses : addresses.filter { !tried.contains($0) }
    }

    /// Begins other lookups, because no address can be connected to. Addresses that were tried are not tried again.
    mutating func lookUpAgain(_ count: Int) {
        lookups += count
    }

    /// Records that an attempt has failed: the next one begins at once.
    mutating func attemptDidFail() {
        active -= 1
        nextBeginning = 0
    }

    mutating func step(at now: UInt64) -> Step {
        guard let next = untried.first else {
            return active > 0 || isLookingUp ? .wait(until: .max) : .exhausted
        }
        if begun == 0, isLookingUp, now < delayEnd { return .wait(until: delayEnd) }
        if active > 0, now < nextBeginning { return .wait(until: nextBeginning) }
        untried.removeFirst()
        tried.append(next)
        active += 1
        begun += 1
        nextBeginning = now &+ Self.attemptDelay
        return .connect(next)
    }
}
