#if os(Linux)
    import CCurl

    /// The cookies of one session manager, in memory, shared by the handles of all its loops (RFC 6265 by libcurl).
    ///
    /// libcurl locks it while it looks into it. All handles have to be gone before it is.
    // Sendable although unchecked: it is libcurl's alone, which locks it.
    final class CookieShare: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
        /// One for each kind of data libcurl shares, which it numbers: it may lock one while it holds another.
        private let turns = (0..<16).map { _ in Turn() }

        /// `nil` without memory.
        init?() {
            guard let pointer = ccurl_share_init() else { return nil }
            self.pointer = pointer
            ccurl_share_set_pointer(pointer, CInt(CCURLSHOPT_USERDATA), Unmanaged.passUnretained(self).toOpaque())
            ccurl_share_set_lock_callbacks(
                pointer, { _, kind, _, context in CookieShare.turn(kind, context)?.take() },
                { _, kind, context in CookieShare.turn(kind, context)?.release() })
            guard ccurl_share_set_long(pointer, CInt(CCURLSHOPT_SHARE), CLong(CCURL_LOCK_DATA_COOKIE)) == 0 else { return nil }
        }

        deinit {
            ccurl_share_cleanup(pointer)
        }

        private static func turn(_ kind: CInt, _ context: UnsafeMutableRawPointer?) -> Turn? {
            guard let context else { return nil }
            let turns = Unmanaged<CookieShare>.fromOpaque(context).takeUnretainedValue().turns
            return turns[min(max(Int(kind), 0), turns.count - 1)]
        }
    }
#endif
