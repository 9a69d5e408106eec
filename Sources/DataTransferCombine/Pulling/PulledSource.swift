#if OPENCOMBINE || canImport(Combine)
    /// Where the values of one subscriber come from. Letting go of it ends its transfer.
    final class PulledSource<Output: Sendable, Failure: Error>: Sendable {
        enum Step: Sendable {
            case value(Output)
            /// The end follows at once.
            case last(Output)
            case end
        }

        /// Called by one task at a time, and not again after the end or an error. At once when the task is cancelled, it throws.
        let next: @Sendable () async throws(Failure) -> Step

        init(next: @escaping @Sendable () async throws(Failure) -> Step) {
            self.next = next
        }
    }

    /// An iterator that is made when the first value is asked for.
    // Sendable although unchecked: a source is asked by one task at a time, and so is its iterator.
    final class OpenedIterator<Iterator, Failure: Error>: @unchecked Sendable {
        private let open: @Sendable () async throws(Failure) -> Iterator
        private var iterator: Iterator?

        init(open: @escaping @Sendable () async throws(Failure) -> Iterator) {
            self.open = open
        }

        func next<Output>(
            _ next: @Sendable (inout Iterator) async throws(Failure) -> Output?
        ) async throws(Failure) -> Output? {
            var opened: Iterator
            if let iterator {
                opened = iterator
            } else {
                opened = try await open()
            }
            let value = try await next(&opened)
            iterator = opened
            return value
        }
    }
#endif
