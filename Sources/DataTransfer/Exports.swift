// So that `import DataTransfer` is enough for a first program.
@_exported import Endpoints
@_exported import NetworkCore
@_exported import NetworkLogging
