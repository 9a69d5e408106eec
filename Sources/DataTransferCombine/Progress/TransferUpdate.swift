#if OPENCOMBINE || canImport(Combine)
    import DataTransfer

    /// What the publisher of a transfer with its progress publishes.
    public enum TransferUpdate<Value: Sendable>: Sendable {
        /// How far it has come: the newest state, when several came since the last demand.
        case progress(TransferProgress)
        /// What became of it. Nothing follows.
        case value(Value)
    }
#endif
