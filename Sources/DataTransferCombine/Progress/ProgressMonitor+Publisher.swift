#if OPENCOMBINE || canImport(Combine)
    import DataTransfer

    extension ProgressMonitor {
        /// Publishes what comes from now on, and finishes after the transfer: the newest state where there is less demand than states.
        ///
        /// Not cold, unlike all others: the transfer is begun elsewhere. For one subscriber; two would share the states among them.
        public var publisher: AnyPublisher<TransferProgress, Never> {
            PulledPublisher(
                opening: { () async throws(Never) in self.makeAsyncIterator() },
                next: { states async throws(Never) in await states.next() }
            ).eraseToAnyPublisher()
        }
    }
#endif
