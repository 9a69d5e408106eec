extension ResponseStream {
    /// The same stream, told of when it is over.
    ///
    /// - Parameter onEnd: Runs exactly once: with the failure, or with `nil` when the last chunk has been taken or the stream been let go of.
    package func observed(onEnd: @escaping @Sendable (TransportError?) -> Void) -> ResponseStream {
        let listener = Locked<(onEnd: (@Sendable (TransportError?) -> Void)?, isReading: Bool)>((onEnd, false))
        let tell: @Sendable (TransportError?) -> Void = { error in
            let onEnd = listener.withLock { listener in
                defer { listener.onEnd = nil }
                return listener.onEnd
            }
            onEnd?(error)
        }
        return ResponseStream { () async throws(TransportError) in
            listener.withLock { $0.isReading = true }
            defer { listener.withLock { $0.isReading = false } }
            do throws(TransportError) {
                let chunk = try await nextChunk()
                if chunk == nil { tell(nil) }
                return chunk
            } catch {
                tell(error)
                throw error
            }
        } end: {
            end
        } stop: {
            stop()
            // Who is reading gets an error of it.
            if !listener.withLock({ $0.isReading }) { tell(nil) }
        }
    }
}
