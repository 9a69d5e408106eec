// `import DataTransferMacros` is enough to declare an API and to call it.
@_exported import DataTransfer
