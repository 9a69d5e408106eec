#if os(Linux)
    import CCurl

    extension EasyHandle {
        /// The way to the server, the same for all transfers of a session manager. Set once, on a new handle.
        ///
        /// - Parameter cookies: Where cookies are kept, if they are.
        /// - Returns: Whether there was memory for it.
        func setRoute(_ configuration: SessionConfiguration, cookies: CookieShare?) -> Bool {
            if let path = configuration.unixSocketPath, !setText(CCURLOPT_UNIX_SOCKET_PATH, path) { return false }
            if let cookies {
                // An empty file name turns libcurl's cookie handling on without reading anything.
                guard setText(CCURLOPT_COOKIEFILE, ""),
                    ccurl_easy_set_pointer(pointer, CInt(CCURLOPT_SHARE), cookies.pointer) == 0
                else { return false }
            }
            return setProxy(configuration.proxy)
        }

        /// Has connections open and close their sockets through the set that watches them. It has to outlive the connections, not only
        /// the handle.
        func setSockets(_ sockets: EpollSet) {
            let context = Unmanaged.passUnretained(sockets).toOpaque()
            ccurl_easy_set_pointer(pointer, CInt(CCURLOPT_OPENSOCKETDATA), context)
            ccurl_easy_set_pointer(pointer, CInt(CCURLOPT_CLOSESOCKETDATA), context)
            ccurl_easy_set_open_callback(pointer) { context, _, address in
                guard let context, let address = address?.pointee else { return -1 }
                return Unmanaged<EpollSet>.fromOpaque(context).takeUnretainedValue()
                    .open(family: address.family, kind: address.kind, transport: address.transport)
            }
            ccurl_easy_set_close_callback(pointer) { context, socket in
                guard let context else { return -1 }
                return Unmanaged<EpollSet>.fromOpaque(context).takeUnretainedValue().close(socket)
            }
        }

        private func setProxy(_ proxy: ProxyConfiguration) -> Bool {
            switch proxy.kind {
            case .environment: return true
            // An empty name is stronger than the environment.
            case .none: return setText(CCURLOPT_PROXY, "")
            case .http: return setProxy(proxy, type: CCURLPROXY_HTTP)
            case .socks5(let resolvesNamesThere):
                return setProxy(proxy, type: resolvesNamesThere ? CCURLPROXY_SOCKS5_HOSTNAME : CCURLPROXY_SOCKS5)
            }
        }

        private func setProxy<Kind: BinaryInteger>(_ proxy: ProxyConfiguration, type: Kind) -> Bool {
            let host = proxy.host.contains(":") && !proxy.host.hasPrefix("[") ? "[\(proxy.host)]" : proxy.host
            set(CCURLOPT_PROXYTYPE, type)
            set(CCURLOPT_PROXYPORT, proxy.port)
            set(CCURLOPT_PROXYAUTH, CCURLAUTH_BASIC)
            guard setText(CCURLOPT_PROXY, host), setText(CCURLOPT_NOPROXY, proxy.excludedHosts.joined(separator: ",")) else {
                return false
            }
            guard let username = proxy.username else { return true }
            return setText(CCURLOPT_PROXYUSERNAME, username) && setText(CCURLOPT_PROXYPASSWORD, proxy.password ?? "")
        }

        private func setText<Option: BinaryInteger>(_ option: Option, _ text: String) -> Bool {
            text.withCString { setString(option, $0) }
        }
    }
#endif
