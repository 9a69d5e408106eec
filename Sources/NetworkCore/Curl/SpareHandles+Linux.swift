#if os(Linux)
    /// Easy handles that wait for their next transfer, each for the one trust policy it was made with.
    struct SpareHandles {
        private var byPolicy: [Int: [EasyHandle]] = [:]
        private var count = 0

        static let maximum = 256

        mutating func take(for trust: CurlTrust) -> EasyHandle? {
            guard let handle = byPolicy[trust.number]?.popLast() else { return nil }
            count -= 1
            return handle
        }

        mutating func put(_ handle: EasyHandle) {
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
