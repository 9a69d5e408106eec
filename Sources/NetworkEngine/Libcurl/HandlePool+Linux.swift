#if os(Linux)
    /// A pool of unused easy handles. Each is reused only with the trust policy that it was created with.
    struct HandlePool<Handle: EasyHandle> {
        private var byPolicy: [Int: [Handle]] = [:]
        private var count = 0

        /// The maximum number of handles in the pool; more are freed.
        static var maximum: Int { 256 }

        mutating func take(for trust: CurlTrust) -> Handle? {
            guard let handle = byPolicy[trust.number]?.popLast() else { return nil }
            count -= 1
            return handle
        }

        mutating func put(_ handle: Handle) {
            guard count < Self.maximum else { return }
            byPolicy[handle.trust.number, default: []].append(handle)
            count += 1
        }

        mutating func removeAll() {
            byPolicy = [:]
            count = 0
        }
    }
#endif
