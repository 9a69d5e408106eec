#!/usr/bin/env python3
"""Writes Docs/Options.md: what can be set, and which codes errors have, from the symbol graphs of Scripts/symbols.

    options.py SYMBOLS FILE            # writes the file
    options.py SYMBOLS FILE --check    # fails if it is not what would be written
"""
import json
import pathlib
import re
import sys

# Types by the ends of their names, and those whose names end otherwise.
ENDS = ("Options", "Configuration", "Limits", "Policy", "Timeouts", "Reconnection")
OTHERS = {
    "RequestPipeline", "RetryBudget", "Backoff", "RateLimit", "RetryCause", "RateLimiter", "ConcurrencyGate", "CircuitBreaker", "RefreshingCredentials",
    "Credential", "OAuthTokens", "CredentialStore", "DownloadDestination", "PartialDownload", "DefaultDataTransferService",
    "DefaultNetworkService", "ServerSentEvent", "PageRule", "StreamFormat", "CacheSelection", "CachePartition", "ProgressMonitor",
    "TransferProgress", "NetworkErrorLogger", "LogLevel", "LoggedOutcome", "ExchangeObserver", "ExchangeEvent", "TraceContext", "StubResponse",
    "StubSessionManager", "LoopbackFault", "ManualClock", "RecordedSession", "ReconnectingWebSocket", "TrustRoots", "TrustPin", "ClientIdentity",
    "AcceptedStatuses", "ContentDigest", "CredentialRecord", "DownloadOptions.ExistingFile", "RequestGenerationError.Field", "MultipartForm", "EndpointBody", "RequestInstrument",
}
KINDS = {"swift.property", "swift.type.property", "swift.enum.case", "swift.init", "swift.method", "swift.type.method"}
# `DataTransfer` exports these.
EXPORTED = {"Endpoints", "NetworkCore", "NetworkLogging", "NetworkJSON"}
HEADER = """# What can be set

The properties of all options, limits and policies, the members of the types that programs create most often, and the codes of errors, each with the beginning of
its documentation. `Scripts/options.py` writes this page from the sources.
"""


def sentence(symbol):
    """The first sentence of the documentation, and the one that states the default."""
    lines = [line["text"].strip() for line in symbol.get("docComment", {}).get("lines", [])]
    text = " ".join(lines[: lines.index("")] if "" in lines else lines)
    text = re.sub(r"``(?:\w+/)*([^`/]+)``", r"`\1`", text).replace("|", "\\|")
    parts = re.split(r"(?<=\.)\s+(?=[A-Z`])", text)
    defaults = [part for part in re.split(r"(?<=\.)\s+", text) if part.startswith("Default")]
    return " ".join([parts[0]] + [part for part in defaults if part != parts[0]])


def signature(symbol):
    text = "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])
    text = re.sub(r"@\w+(?:\([^)]*\))? ", "", " ".join(text.split())).replace("|", "\\|")
    return re.sub(r"^(?:convenience |indirect |mutating )*", "", text.replace(" { get set }", "").replace(" { get }", ""))


def page(folder):
    symbols, names = [], {}
    for file in sorted(pathlib.Path(folder).glob("*.symbols.json")):
        graph = json.loads(file.read_text())
        for symbol in graph["symbols"]:
            symbols.append((graph["module"]["name"], symbol))
    for module, symbol in symbols:
        path, kind = symbol["pathComponents"], symbol["kind"]["identifier"]
        if kind not in ("swift.struct", "swift.enum", "swift.class", "swift.protocol"):
            continue
        if path[-1].endswith(ENDS) or ".".join(path) in OTHERS or path[-1] == "Code":
            names.setdefault(tuple(path), (module, symbol))
    text = HEADER
    for title, is_code in (("Options and values", False), ("Codes of errors", True)):
        text += f"\n## {title}\n"
        for path, (module, symbol) in sorted(names.items()):
            if (path[-1] == "Code") != is_code:
                continue
            members = {}
            for _, member in symbols:
                inner = member["pathComponents"]
                if tuple(inner[:-1]) == path and member["kind"]["identifier"] in KINDS and member.get("docComment"):
                    if inner[-1] not in ("description", "rawValue", "init(rawValue:)", "hash(into:)", "debugDescription", "errorDescription"):
                        members.setdefault(signature(member), sentence(member))
            if not members:
                continue
            text += f"\n### {'.'.join(path)}\n\n{sentence(symbol)} Import `{'DataTransfer' if module in EXPORTED else module}`.\n\n| Declaration | Meaning |\n|---|---|\n"
            text += "".join(f"| `{declaration}` | {meaning} |\n" for declaration, meaning in sorted(members.items()))
    return text


def main():
    symbols, file = sys.argv[1], pathlib.Path(sys.argv[2])
    written = page(symbols)
    if sys.argv[3:] != ["--check"]:
        file.write_text(written)
    elif not file.exists() or file.read_text() != written:
        sys.exit(f"error: {file} is not what Scripts/api --update writes")


main()
