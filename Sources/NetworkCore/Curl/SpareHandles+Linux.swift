#if os(Linux)
    /// Easy handles that wait for their next use, each for the one trust policy it was made with.
    struct SpareHandles<Handle: EasyHandle> {
        private var byPolicy: [Int: [Handle]] = [:]
        private var count = 0

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
