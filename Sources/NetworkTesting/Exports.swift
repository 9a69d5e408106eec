// Public signatures use the types of `DataTransfer`, so `import NetworkTesting` alone must be enough.
@_exported import DataTransfer
