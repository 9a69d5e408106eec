"""What a name server for tests says about the names under .test, with faults: used by dns-server and by asgi_server.py.

| Name | Addresses and faults |
|---|---|
| `both.test` | 127.0.0.1 and ::1 |
| `v4.test`, `v6.test` | one of them |
| `cname.test` | an alias of `both.test` |
| `silent.test` | no response |
| `silent-aaaa.test` | like `both.test`, without a response for AAAA |
| `slow-aaaa.test` | like `both.test`, with a response for AAAA after 30 ms |
| `moved.test` | 127.0.0.1, until it is changed |
| `many.test` | 127.0.0.1 to 127.0.0.6, until they are changed |
| `servfail.test`, `refused.test` | an error |
| `truncated.test` | like `both.test`, but only over TCP and HTTP |
| `garbage.test` | like `both.test`; what is sent is no message |
| `status-500.test`, `wrong-type.test` | like `both.test`; a fault over HTTP only |
| `nxdomain.test`, all others | the name does not exist |

A line changes a name, also one that did not exist: `moved.test 127.0.0.2 ::1 ttl=5`. Without addresses, the name exists and has no record. The TTL also
is that of the negative response. Default: 60 seconds. With `h3=8443`, HTTPS records offer HTTP/3 at this UDP port, for each port of the host.
"""
import ipaddress
import struct

A, CNAME, SOA, AAAA, HTTPS = 1, 5, 6, 28, 65
NOERROR, FORMERR, SERVFAIL, NXDOMAIN, REFUSED = 0, 1, 2, 3, 5
NAMES = {
    "both.test": "127.0.0.1 ::1", "v4.test": "127.0.0.1", "v6.test": "::1", "silent.test": "", "silent-aaaa.test": "127.0.0.1 ::1",
    "slow-aaaa.test": "127.0.0.1 ::1", "moved.test": "127.0.0.1", "many.test": " ".join(f"127.0.0.{number}" for number in range(1, 7)),
    "truncated.test": "127.0.0.1 ::1", "garbage.test": "127.0.0.1 ::1", "status-500.test": "127.0.0.1 ::1", "wrong-type.test": "127.0.0.1 ::1",
}
ALIASES = {"cname.test": "both.test"}
ERRORS = {"servfail.test": SERVFAIL, "refused.test": REFUSED}
# The delay of a response in seconds, for a name and a type; None if there is no response.
DELAYS = {("silent.test", A): None, ("silent.test", AAAA): None, ("silent-aaaa.test", AAAA): None, ("slow-aaaa.test", AAAA): 0.03}


class Reply:
    def __init__(self, name, message, delay=0, lifetime=0):
        self.name = name
        self.message = message
        # In seconds; None if the message is not sent.
        self.delay = delay
        # In seconds: for how long the message may be kept.
        self.lifetime = lifetime


class Zone:
    def __init__(self):
        self.addresses, self.lifetimes, self.services = {}, {}, {}
        for name, addresses in NAMES.items():
            self.change(f"{name} {addresses}")

    def change(self, line):
        """Sets the addresses, the TTL and the service of a name, and returns the name."""
        name, *words = line.lower().split()
        options = dict(word.split("=") for word in words if "=" in word)
        addresses = [ipaddress.ip_address(word) for word in words if "=" not in word]
        lifetime = int(options.get("ttl", 60))
        self.services[name] = int(options.get("h3", 0))
        self.addresses[name], self.lifetimes[name] = addresses, lifetime
        return name

    def reply(self, query, is_datagram=False):
        """The reply to a query; None if it is too short for an error."""
        try:
            name, kind, question = read(query)
        except (IndexError, struct.error, ValueError):
            return Reply("", query[:2] + struct.pack("!H4H", 0x8180 | FORMERR, 0, 0, 0, 0)) if len(query) >= 12 else None
        # A response, with recursion available, and desired as in the query (RFC 1035 §4.1.1).
        flags = 0x8080 | query[2] << 8 & 0x0100
        if name in ERRORS:
            return Reply(name, head(query, flags | ERRORS[name]) + question)
        delay = DELAYS.get((name, kind), 0)
        if is_datagram and name == "truncated.test":
            return Reply(name, head(query, flags | 0x0200) + question)
        records, owner, lifetimes = [], name, []
        if name in ALIASES:
            owner = ALIASES[name]
            records.append(record(name, CNAME, 60, wire(owner)))
            lifetimes.append(60)
        lifetime = self.lifetimes.get(owner, 60)
        lifetimes.append(lifetime)
        found = [address for address in self.addresses.get(owner, ()) if kind == (A if address.version == 4 else AAAA)]
        records += [record(owner, kind, lifetime, address.packed) for address in found]
        host = name.split("._https.")[-1]
        if kind == HTTPS and self.services.get(host):
            # Its parameters: the protocol, and the port (RFC 9460 §7).
            parameters = struct.pack("!HHB2s", 1, 3, 2, b"h3") + struct.pack("!HHH", 3, 2, self.services[host])
            found = [record(name, HTTPS, lifetime, struct.pack("!H", 1) + wire(host) + parameters)]
            records += found
        authorities = []
        if not found:
            numbers = struct.pack("!5I", 1, 3600, 600, 86400, lifetime)
            authorities.append(record("test", SOA, lifetime, wire("ns.test") + wire("admin.test") + numbers))
        code = NOERROR if found or owner in self.addresses else NXDOMAIN
        message = head(query, flags | code, len(records), len(authorities)) + question + b"".join(records + authorities)
        if name == "garbage.test":
            message = b"\xff" * 40
        return Reply(name, message, delay, min(lifetimes))


def read(query):
    """The name of a query in lowercase, the type, and the bytes of the question."""
    if struct.unpack_from("!H", query, 4)[0] != 1 or query[2] & 0x80:
        raise ValueError
    labels, end = [], 12
    while query[end]:
        labels.append(query[end + 1:end + 1 + query[end]].decode("ascii").lower())
        end += query[end] + 1
    kind, _ = struct.unpack_from("!HH", query, end + 1)
    return ".".join(labels), kind, query[12:end + 5]


def head(query, flags, records=0, authorities=0):
    return query[:2] + struct.pack("!5H", flags, 1, records, authorities, 0)


def wire(name):
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"


def record(name, kind, lifetime, data):
    return wire(name) + struct.pack("!HHIH", kind, 1, lifetime, len(data)) + data
