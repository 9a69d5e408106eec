// Endpoints and errors are those of `DataTransfer`, so `import BackgroundTransfers` alone must be enough.
@_exported import DataTransfer
