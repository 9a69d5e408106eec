#if os(Linux)
    import CCurl

    /// The cookies of one session manager, in memory, shared by its handles (RFC 6265 by libcurl).
    ///
    /// Needs no lock: all handles of a loop live on its thread. They have to be gone before it is.
    final class CookieShare {
        let pointer: UnsafeMutableRawPointer

        /// `nil` without memory.
        init?() {
            guard let pointer = ccurl_share_init() else { return nil }
            self.pointer = pointer
            guard ccurl_share_set_long(pointer, CInt(CCURLSHOPT_SHARE), CLong(CCURL_LOCK_DATA_COOKIE)) == 0 else { return nil }
        }

        deinit {
            ccurl_share_cleanup(pointer)
        }
    }
#endif
