#if os(Linux)
    /// The idle HTTP/1.1 connections of one event loop.
    ///
    /// The connection of an origin that was used last is used next, so that the others come to the end of their time.
    struct ConnectionPool {
        private var byKey: [ConnectionKey: [HTTP1Connection]] = [:]
        private var byDeadline = DeadlineHeap<HTTP1Connection>()
        private(set) var count = 0

        /// The one whose time ends first.
        var first: HTTP1Connection? { byDeadline.first }

        mutating func put(_ connection: HTTP1Connection) {
            byKey[connection.key, default: []].append(connection)
            byDeadline.insert(connection)
            count += 1
        }

        /// The newest of an origin.
        mutating func take(_ key: ConnectionKey) -> HTTP1Connection? {
            guard let connection = byKey[key]?.popLast() else { return nil }
            byDeadline.remove(connection)
            count -= 1
            if byKey[key]?.isEmpty == true, byKey.count > 64 { byKey[key] = nil }
            return connection
        }

        /// Does nothing for one that is not idle.
        mutating func remove(_ connection: HTTP1Connection) {
            guard connection.heapIndex >= 0, let index = byKey[connection.key]?.lastIndex(where: { $0 === connection }) else {
                return
            }
            byKey[connection.key]?.remove(at: index)
            if byKey[connection.key]?.isEmpty == true { byKey[connection.key] = nil }
            byDeadline.remove(connection)
            count -= 1
        }
    }
#endif
