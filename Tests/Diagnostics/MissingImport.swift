import DataTransfer

func service(_ configuration: APIConfiguration) -> DefaultDataTransferService {
    DefaultDataTransferService(configuration: configuration, interceptors: [.retry()])  // error: add `import NetworkPipeline`
}
