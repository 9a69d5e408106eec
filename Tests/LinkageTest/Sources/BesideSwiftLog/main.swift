import Logging
import NetworkLogging

let logger = Logger(label: "consumer")
let console = ConsoleLogger { line in logger.info("\(line)") }
logger.info("\(Redaction.default.redacted(text: "password=secret")), \(console.isEnabled)")
