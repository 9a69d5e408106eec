import NetworkLogging

print(Redaction.default.redacted(text: "password=secret"))
