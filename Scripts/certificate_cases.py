"""The chains of Scripts/certificate-chains: what a server sends, what the client trusts, and for which host. What is to be decided is not
said here: two implementations are asked."""
import dataclasses

from certificates import *

HOST = "site.example"


@dataclasses.dataclass
class Case:
    name: str
    chain: list  # as the server sends it, its own certificate first
    roots: list
    host: str = HOST


def site(issuer, *names, **options):
    return leaf(issuer, *(names or [dns(HOST)]), **options)


def under(issuer, count, name="intermediate", **options):
    """A chain of `count` intermediates below an authority, the last one first."""
    chain = []
    for number in range(count):
        chain.insert(0, authority(f"{name} {number + 1}", chain[0] if chain else issuer, **options))
    return chain


def all_cases():
    for group in (names, addresses, constraints, times, uses, signatures, keys, chains, cross_signed, anchors, extensions, numbers_and_subjects):
        yield from group()


def with_names(rows):
    ca = authority("root")
    for name, host, *sans in rows:
        yield Case(name, [site(ca, *sans)], [ca], host)


def names():
    yield from with_names([
        ("exact name", HOST, dns(HOST)),
        ("host in capitals", "SITE.Example", dns(HOST)),
        ("certificate in capitals", HOST, dns("SITE.Example")),
        ("host with a dot at its end", HOST + ".", dns(HOST)),
        ("certificate with a dot at its end", HOST, dns(HOST + ".")),
        ("certificate with a dot at its start", "a." + HOST, dns("." + HOST)),
        ("certificate that is a dot", HOST, dns(".")),
        ("second of three names", HOST, dns("first.example"), dns(HOST), dns("third.example")),
        ("malformed name before the right one", HOST, dns("a..b"), dns(HOST)),
        ("other name", HOST, dns("other.example")),
        ("parent of the host", "a." + HOST, dns(HOST)),
        ("name that begins as the host", HOST, dns(HOST + ".evil.test")),
        ("name that ends as the host", HOST, dns("not" + HOST)),
        ("wildcard as the first label", "a.site.example", dns("*.site.example")),
        ("wildcard as the first label, host in capitals", "A.SITE.example", dns("*.site.EXAMPLE")),
        ("wildcard for the parent", "site.example", dns("*.site.example")),
        ("wildcard for two labels", "a.b.site.example", dns("*.site.example")),
        ("wildcard in the host", "*.site.example", dns("*.site.example")),
        ("wildcard after some letters", "first.site.example", dns("f*.site.example")),
        ("wildcard before some letters", "first.site.example", dns("*t.site.example")),
        ("wildcard between letters", "first.site.example", dns("f*t.site.example")),
        ("wildcard as the second label", "a.site.example", dns("a.*.example")),
        ("wildcard as the last label", "a.site.example", dns("a.site.*")),
        ("two wildcards", "a.site.example", dns("*.*.example")),
        ("two asterisks in a label", "a.site.example", dns("**.site.example")),
        ("wildcard alone", "localhost", dns("*")),
        ("wildcard and a dot", "localhost", dns("*.")),
        ("wildcard below a top-level domain", "site.example", dns("*.example")),
        ("wildcard with a dot at its end", "a.site.example", dns("*.site.example.")),
        ("wildcard for a host with a dot at its end", "a.site.example.", dns("*.site.example")),
        ("A-label", "xn--bcher-kva.example", dns("xn--bcher-kva.example")),
        ("A-label in capitals", "xn--bcher-kva.example", dns("XN--BCHER-KVA.example")),
        ("U-label for an A-label", "xn--bcher-kva.example", dns("bücher.example")),
        ("wildcard for an A-label", "xn--bcher-kva.site.example", dns("*.site.example")),
        ("wildcard before an A-label", "a.xn--bcher-kva.example", dns("*.xn--bcher-kva.example")),
        ("wildcard inside an A-label", "xn--bcher-kva.site.example", dns("xn--*.site.example")),
        ("NUL after the host", HOST, dns(HOST + "\0.evil.test")),
        ("NUL at the end", HOST, dns(HOST + "\0")),
        ("space before the host", HOST, dns(" " + HOST)),
        ("space after the host", HOST, dns(HOST + " ")),
        ("line feed after the host", HOST, dns(HOST + "\n")),
        ("underscore", "a_b.site.example", dns("a_b.site.example")),
        ("wildcard for an underscore", "a_b.site.example", dns("*.site.example")),
        ("empty name", HOST, dns("")),
        ("label of 63 letters", "a" * 63 + ".example", dns("a" * 63 + ".example")),
        ("email address alone", HOST, email("a@" + HOST)),
        ("host as an email address", HOST, email(HOST)),
        ("URI alone", HOST, uri("https://" + HOST)),
        ("directory name alone", HOST, directory(subject(HOST))),
        ("name of each kind", HOST, email("a@b.example"), uri("https://b.example"), address("192.0.2.1"), directory(subject("b")), dns(HOST)),
    ])
    ca = authority("root")
    yield Case("common name alone", [leaf(ca, common_name=HOST)], [ca])
    yield Case("common name besides another name", [site(ca, dns("other.example"), common_name=HOST)], [ca])
    yield Case("common name besides an email address", [site(ca, email("a@b.example"), common_name=HOST)], [ca])
    yield Case("no name at all", [leaf(ca)], [ca])
    yield Case("empty list of names", [leaf(ca, san=alternative_names(), common_name=HOST)], [ca])


def addresses():
    yield from with_names([
        ("IPv4 address", "127.0.0.1", address("127.0.0.1")),
        ("IPv6 address", "::1", address("::1")),
        ("second of two addresses", "127.0.0.1", address("192.0.2.1"), address("127.0.0.1")),
        ("other IPv4 address", "127.0.0.1", address("127.0.0.2")),
        ("other IPv6 address", "::1", address("::2")),
        ("IPv4 address as a DNS name", "127.0.0.1", dns("127.0.0.1")),
        ("IPv6 address as a DNS name", "::1", dns("::1")),
        ("IPv4 address as a URI", "127.0.0.1", uri("https://127.0.0.1")),
        ("wildcard for an IPv4 address", "127.0.0.1", dns("*.0.0.1")),
        ("IPv4 address mapped to IPv6, for IPv4", "127.0.0.1", address("::ffff:127.0.0.1")),
        ("IPv4 address for one mapped to IPv6", "::ffff:127.0.0.1", address("127.0.0.1")),
        ("text of an address in an iPAddress", "127.0.0.1", address(b"127.0.0.1")),
        ("address and mask in an iPAddress", "127.0.0.1", address("127.0.0.0/8")),
        ("empty iPAddress", "127.0.0.1", address(b"")),
        ("address and a name, for the name", HOST, address("127.0.0.1"), dns(HOST)),
    ])
    ca = authority("root")
    yield Case("IPv4 address as the common name", [leaf(ca, common_name="127.0.0.1")], [ca], "127.0.0.1")


def constraints():
    def case(name, names, host=HOST, **lists):
        ca = authority("root")
        via = authority("intermediate", ca, name_constraints(**lists))
        return Case(name, [site(via, *names), via], [ca], host)

    inside, outside, loopback, all_addresses = [dns("example")], [dns("test")], [address("127.0.0.0/8")], [address("0.0.0.0/0")]
    yield case("name within the permitted ones", [dns(HOST)], permitted=inside)
    yield case("name that is the permitted one", [dns(HOST)], permitted=[dns(HOST)])
    yield case("name within the permitted ones, in capitals", [dns(HOST)], permitted=[dns("EXAMPLE")])
    yield case("permitted name with a dot at its start", [dns(HOST)], permitted=[dns(".example")])
    yield case("permitted name with a dot at its start, itself", [dns(HOST)], permitted=[dns("." + HOST)])
    yield case("name not within the permitted ones", [dns(HOST)], permitted=outside)
    yield case("name that only ends as a permitted one", [dns("not" + HOST)], "not" + HOST, permitted=[dns(HOST)])
    yield case("second name not within the permitted ones", [dns(HOST), dns("b.test")], permitted=inside)
    yield case("excluded name", [dns(HOST)], excluded=inside)
    yield case("name beside the excluded ones", [dns(HOST)], excluded=outside)
    yield case("second name is excluded", [dns(HOST), dns("b.test")], excluded=outside)
    yield case("permitted, and excluded below it", [dns(HOST)], permitted=inside, excluded=[dns(HOST)])
    yield case("all names are excluded", [dns(HOST)], excluded=[dns("")])
    yield case("wildcard within the permitted ones", [dns("*.site.example")], "a.site.example", permitted=inside)
    yield case("wildcard that covers an excluded name", [dns("*.site.example")], "a.site.example", excluded=[dns("b.site.example")])
    yield case("wildcard for an excluded name", [dns("*.site.example")], "a.site.example", excluded=[dns("a.site.example")])
    yield case("constraints not critical, name not permitted", [dns(HOST)], permitted=outside, critical=False)
    yield case("address within the permitted ones", [address("127.0.0.1")], "127.0.0.1", permitted=loopback)
    yield case("address not within the permitted ones", [address("127.0.0.1")], "127.0.0.1", permitted=[address("192.0.2.0/24")])
    yield case("excluded address", [address("127.0.0.1")], "127.0.0.1", excluded=loopback)
    yield case("all IPv4 addresses are excluded, IPv6", [address("::1")], "::1", excluded=all_addresses)
    yield case("address under constraints of names", [address("127.0.0.1")], "127.0.0.1", permitted=inside)
    yield case("name under constraints of addresses", [dns(HOST)], permitted=loopback)
    yield case("constraints of an address without a mask", [address("127.0.0.1")], "127.0.0.1", permitted=[address("127.0.0.1")])
    yield case("constraints of email addresses", [dns(HOST)], permitted=[email("b.test")])
    yield case("constraints of the subject, not permitted", [dns(HOST)], permitted=[directory(subject("other"))])
    ca = authority("root", None, name_constraints(outside))
    yield Case("constraints of the root, name not permitted", [site(ca)], [ca])
    ca = authority("root", None, name_constraints(inside))
    via = authority("intermediate", ca, name_constraints(outside))
    yield Case("constraints of the intermediate contradict the root's", [site(via), via], [ca])
    ca = authority("root", None, name_constraints(outside))
    yield Case("common name alone under constraints", [leaf(ca, common_name=HOST)], [ca])


def times():
    ca, past, future = authority("root"), dict(start=day(-9), end=day(-1)), dict(start=day(9))
    via = authority("intermediate", ca)
    far = datetime.datetime(9999, 12, 31, 23, 59, 59)
    yield Case("leaf expired", [site(via, **past), via], [ca])
    yield Case("leaf not yet valid", [site(via, **future), via], [ca])
    yield Case("leaf that ends before it begins", [site(via, start=day(9), end=day(-9)), via], [ca])
    yield Case("leaf without an end (year 9999)", [site(via, end=far), via], [ca])
    yield Case("leaf since 1950", [site(via, start=datetime.datetime(1950, 1, 1)), via], [ca])
    yield Case("leaf is valid for 20 years", [site(via, end=day(20 * 365)), via], [ca])
    yield Case("expired a second ago", [site(via, end=day(-1 / 86400)), via], [ca])
    for when, name in ((past, "expired"), (future, "not yet valid")):
        via = authority("intermediate", ca, **when)
        yield Case("intermediate " + name, [site(via), via], [ca])
        root = authority("root", **when)
        yield Case("root " + name, [site(root)], [root])
        via = authority("intermediate", root)
        yield Case(f"root {name}, with an intermediate", [site(via), via], [root])


def uses():
    ca = authority("root")
    via = authority("intermediate", ca)
    for name, options in {
        "leaf for clients only": dict(purpose=purposes(CLIENT)),
        "leaf for servers and clients": dict(purpose=purposes(SERVER, CLIENT)),
        "leaf for any purpose": dict(purpose=purposes(ANY_PURPOSE)),
        "leaf without purposes": dict(purpose=b""),
        "leaf for code signing only": dict(purpose=purposes("1.3.6.1.5.5.7.3.3")),
        "leaf without a key usage": dict(usage=b""),
        "leaf for key encipherment only": dict(usage=key_usage(KEY_ENCIPHERMENT)),
        "leaf for signing certificates only": dict(usage=key_usage(CERTIFICATE_SIGNING)),
        "leaf without basic constraints": dict(constraints=b""),
        "leaf that is an authority": dict(constraints=basic_constraints(True), usage=key_usage(DIGITAL_SIGNATURE, CERTIFICATE_SIGNING)),
        "leaf with a path length": dict(constraints=basic_constraints(False, 0)),
    }.items():
        yield Case(name, [site(via, **options), via], [ca])
    for name, options in {
        "cannot sign certificates": dict(usage=key_usage(LIST_SIGNING)),
        "without a key usage": dict(usage=b""),
        "without basic constraints": dict(constraints=b""),
        "without any extension": dict(constraints=b"", usage=b"", key_identifiers=False),
        "that is no authority": dict(constraints=basic_constraints(False)),
        "with constraints not critical": dict(constraints=basic_constraints(True, critical=False)),
        "of version 1": dict(constraints=b"", usage=b"", key_identifiers=False, version=1),
    }.items():
        via, root = authority("intermediate", ca, **options), authority("root", **options)
        yield Case("intermediate " + name, [site(via), via], [ca])
        yield Case("root " + name, [site(root)], [root])
    for name, purpose in {"clients only": CLIENT, "servers only": SERVER, "any purpose": ANY_PURPOSE}.items():
        via, root = (authority(name, issuer, purposes(purpose)) for name, issuer in (("intermediate", ca), ("root", None)))
        yield Case("intermediate for " + name, [site(via), via], [ca])
        yield Case("root for " + name, [site(root)], [root])
    end = site(via, common_name="end")
    yield Case("leaf that issued a leaf", [site(end), end, via], [ca])
    for path, count in ((0, 1), (0, 2), (1, 2), (1, 3)):
        first = authority("first", ca, constraints=basic_constraints(True, path))
        yield Case(f"path length {path}, {count - 1} below", [site((below := [*under(first, count - 1), first])[0]), *below], [ca])
    root = authority("root", constraints=basic_constraints(True, 0))
    via = authority("intermediate", root)
    yield Case("path length 0 of the root, 1 below", [site(via), via], [root])
    first = authority("first", ca, constraints=basic_constraints(True, 0))
    again = authority("first", first)
    yield Case("path length 0, 1 of the same name below", [site(again), again, first], [ca])


def signatures():
    ca, other = authority("root"), authority("root")
    via = authority("intermediate", ca)
    yield Case("signature of the leaf is broken", [site(via, broken=True), via], [ca])
    broken = authority("intermediate", ca, broken=True)
    yield Case("signature of the intermediate is broken", [site(broken), broken], [ca])
    broken = authority("root", broken=True)
    yield Case("signature of the root is broken", [site(broken)], [broken])
    yield Case("leaf signed by another authority of the same name", [site(ca, signer=other)], [ca])
    yield Case("the same, without key identifiers", [site(ca, signer=other, key_identifiers=False)], [ca])
    yield Case("other algorithm outside than inside", [site(via, outer_hash="sha384"), via], [ca])
    yield Case("leaf signed by itself in an authority's name", [site(ca, signer=Certificate(b"", key := make_key("P-256"), b"", b""), key=key)], [ca])
    renamed = dataclasses.replace(ca, key_identifier=b"other")
    yield Case("key identifier of another authority", [site(renamed)], [ca])
    yield Case("no key identifiers", [site(ca, key_identifiers=False)], [ca])


def keys():
    ca = authority("root")
    for key in ("P-256", "P-384", "P-521", "Ed25519", 1024, 2048):
        kind = key if isinstance(key, str) else f"RSA {key}"
        yield Case("leaf with a key of " + kind, [site(ca, key=key)], [ca])
    for key in ("P-384", "P-521", "secp256k1", "Ed25519", 1024, 2048):
        kind = key if isinstance(key, str) else f"RSA {key}"
        root = authority("root", key=key)
        via = authority("intermediate", ca, key=key)
        yield Case("root with a key of " + kind, [site(root)], [root])
        yield Case("intermediate with a key of " + kind, [site(via), via], [ca])
    weak = authority("root", key=2048)
    for hash in ("md5", "sha1", "sha384", "sha512", "pss"):
        yield Case(f"leaf signed with RSA and {hash}", [site(weak, hash=hash)], [weak])
        via = authority("intermediate", weak, hash=hash, key=2048)
        yield Case(f"intermediate signed with RSA and {hash}", [site(via), via], [weak])
        root = authority("root", hash=hash, key=2048)
        yield Case(f"root signed with RSA and {hash}", [site(root)], [root])
    yield Case("leaf signed with ECDSA and sha1", [site(ca, hash="sha1")], [ca])
    yield Case("leaf signed with ECDSA and sha512", [site(ca, hash="sha512")], [ca])
    key = make_key("P-256")
    point = key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.CompressedPoint)
    curve = sequence(oid("1.2.840.10045.2.1"), oid("1.2.840.10045.3.1.7"))
    via = authority("intermediate", ca, key=key, public=sequence(curve, bits(point)))
    yield Case("intermediate with a compressed point", [site(via), via], [ca])


def chains():
    ca = authority("root")
    for count in range(13):
        via = under(ca, count)
        yield Case(f"chain of {count} intermediates", [site((via + [ca])[0]), *via], [ca])
    a, b, c = under(ca, 3)
    end, stranger = site(a), authority("stranger")
    yield Case("last intermediate is missing", [end, a, b], [ca])
    yield Case("middle intermediate is missing", [end, a, c], [ca])
    yield Case("all intermediates are missing", [end], [ca])
    yield Case("intermediates in the opposite order", [end, c, b, a], [ca])
    yield Case("intermediates in another order", [end, b, a, c], [ca])
    yield Case("root is sent too", [end, a, b, c, ca], [ca])
    yield Case("root is sent first", [end, ca, a, b, c], [ca])
    yield Case("root is sent, but not trusted", [end, a, b, c, ca], [stranger])
    yield Case("leaf is sent twice", [end, end, a, b, c], [ca])
    yield Case("intermediate is sent twice", [end, a, a, b, c], [ca])
    yield Case("unrelated certificates follow", [end, a, b, c, stranger, *under(stranger, 2, "other")], [ca])
    yield Case("unrelated certificates between", [end, stranger, a, *under(stranger, 2, "other"), b, c], [ca])
    yield Case("another leaf follows", [end, site(a, dns("other.example")), a, b, c], [ca])
    yield Case("right leaf follows the wrong one", [site(a, dns("other.example")), end, a, b, c], [ca])
    yield Case("twenty of the intermediate's name first", [end, *(authority("intermediate 3", stranger) for _ in range(20)), a, b, c], [ca])
    yield Case("unknown root", [end, a, b, c], [stranger])
    yield Case("root of the same name and another key", [end, a, b, c], [authority("root")])
    yield Case("root of the same name and another key besides", [end, a, b, c], [authority("root"), ca])
    wide = authority("intermediate", ca, name=subject("Intermediate  ONE"))
    for name, spelled in {"another kind of string": subject("Intermediate  ONE", printable), "capitals and one space": subject("intermediate one")}.items():
        yield Case("issuer's name in " + name, [site(dataclasses.replace(wide, subject=spelled)), wide], [ca])


def cross_signed():
    old, new, stranger = authority("old root"), authority("new root"), authority("stranger")
    by_new = authority("intermediate", new)
    same = dict(key=by_new.key)
    expired, by_old = authority("intermediate", old, end=day(-1), start=day(-9), **same), authority("intermediate", old, **same)
    end = site(by_new)
    yield Case("two paths, one root trusted", [end, by_old, by_new], [new])
    yield Case("two paths, first one expired", [end, expired, by_new], [old, new])
    yield Case("two paths, second one expired", [end, by_new, expired], [old, new])
    yield Case("two paths, only the expired one is trusted", [end, expired, by_new], [old])
    yield Case("two paths, neither is trusted", [end, by_old, by_new], [stranger])
    constrained = authority("intermediate", old, name_constraints([dns("test")]), **same)
    yield Case("two paths, first one not permitted by constraints", [end, constrained, by_new], [old, new])
    clients = authority("intermediate", old, purposes(CLIENT), **same)
    yield Case("two paths, first one for clients only", [end, clients, by_new], [old, new])
    broken = authority("intermediate", old, broken=True, **same)
    yield Case("two paths, signature of the first is broken", [end, broken, by_new], [old, new])
    other_key = authority("intermediate", old)
    yield Case("two paths, first one has another key", [end, other_key, by_new], [old, new])
    no_authority = authority("intermediate", old, constraints=basic_constraints(False), **same)
    yield Case("two paths, first one is no authority", [end, no_authority, by_new], [old, new])
    old_expired = authority("old root", key=old.key, start=day(-9), end=day(-1))
    new_by_old = authority("new root", old_expired, key=new.key)
    for name, roots in {"both trusted": [old_expired, new], "both trusted, new one first": [new, old_expired], "new one trusted": [new]}.items():
        yield Case(f"new root signed by an expired one, {name}", [end, by_new, new_by_old], roots)
    yield Case("new root signed by an expired one, old one trusted", [end, by_new, new_by_old], [old_expired])
    renewed = dict(old=old_expired, new=old)
    for first, second in (("old", "new"), ("new", "old")):
        yield Case(f"root expired and renewed, {first} one first", [site(old)], [renewed[first], renewed[second]])
    a = authority("a", None)
    b = authority("b", a)
    loop = authority("a", b, key=a.key)
    yield Case("two authorities that sign each other, not trusted", [site(loop), loop, b], [stranger])
    yield Case("two authorities that sign each other, one trusted", [site(loop), loop, b], [a])


def anchors():
    ca, stranger = authority("root"), authority("stranger")
    via = authority("intermediate", ca)
    end, alone = site(via), site(None)
    yield Case("self-signed leaf", [alone], [stranger])
    yield Case("self-signed leaf that is trusted", [alone], [alone])
    yield Case("self-signed leaf that is trusted, other host", [alone], [alone], "other.example")
    for name, options in {"expired": dict(end=day(-1), start=day(-9)), "for clients only": dict(purpose=purposes(CLIENT)),
                          "an authority": dict(constraints=basic_constraints(True)), "its signature broken": dict(broken=True)}.items():
        yield Case("self-signed leaf that is trusted, " + name, [other := site(None, **options)], [other])
    yield Case("self-signed leaf of a trusted name, another key", [site(None, name=ca.subject)], [ca])
    yield Case("self-signed leaf, another of its name is trusted", [alone], [site(None)])
    yield Case("intermediate is trusted", [end, via], [via])
    yield Case("intermediate is trusted, and not sent", [end], [via])
    yield Case("intermediate and root are trusted", [end, via], [via, ca])
    yield Case("leaf is trusted", [end, via], [end])
    yield Case("leaf is trusted, alone", [end], [end])
    yield Case("leaf is trusted, other host", [end], [end], "other.example")
    expired = authority("intermediate", ca, start=day(-9), end=day(-1))
    yield Case("expired intermediate is trusted", [site(expired)], [expired])
    for name, identifiers in {"with a key identifier": True, "without key identifiers": False}.items():
        yield Case("root is the server " + name, [own := authority("root", None, alternative_names(dns(HOST)), key_identifiers=identifiers)], [own])


def extensions():
    ca = authority("root")
    via = authority("intermediate", ca)
    unknown = "1.3.6.1.4.1.55555.1"
    for name, value in {
        "unknown extension": extension(unknown, null),
        "unknown critical extension": extension(unknown, null, True),
        "certificate policy": extension("2.5.29.32", sequence(sequence(oid("2.23.140.1.2.1")))),
        "critical certificate policy": extension("2.5.29.32", sequence(sequence(oid(unknown))), True),
        "explicit policy that is not there": extension("2.5.29.36", sequence(der(0x80, b"\0")), True),
        "critical inhibition of any policy": extension("2.5.29.54", integer(0), True),
    }.items():
        root, middle = (authority(name, issuer, value) for name, issuer in (("root", None), ("intermediate", ca)))
        yield Case(f"{name} of the leaf", [site(via, more=[value]), via], [ca])
        yield Case(f"{name} of the intermediate", [site(middle), middle], [ca])
        yield Case(f"{name} of the root", [site(root)], [root])
    for name, more in {
        "sign of a precertificate (RFC 6962)": extension("1.3.6.1.4.1.11129.2.4.3", null, True),
        "status that must be stapled (RFC 7633)": extension("1.3.6.1.5.5.7.1.24", sequence(integer(5))),
        "critical that is true but not 255": extension(unknown, null, True, true=b"\1"),
        "critical, without a value": extension(unknown, b"", True),
    }.items():
        yield Case("leaf: " + name, [site(via, more=[more]), via], [ca])
    # Not of the leaf: OpenSSL refuses to serve it, so that there would be no server.
    for name, options in {
        "key usage twice": dict(more=[key_usage(CERTIFICATE_SIGNING)]),
        "basic constraints twice": dict(more=[basic_constraints(True)]),
        "malformed key usage": dict(usage=extension("2.5.29.15", b"\x03\x05")),
        "malformed basic constraints": dict(constraints=extension("2.5.29.19", b"\x30\x05")),
        "malformed purposes": dict(more=[extension("2.5.29.37", b"\x30\x05")]),
        "malformed names": dict(more=[extension("2.5.29.17", b"\x30\x05")]),
        "malformed constraints of names": dict(more=[extension("2.5.29.30", b"\x30\x05")]),
        "empty constraints of names": dict(more=[extension("2.5.29.30", sequence())]),
    }.items():
        via = authority("intermediate", ca, *options.pop("more", []), **options)
        yield Case("intermediate: " + name, [site(via), via], [ca])


def numbers_and_subjects():
    ca = authority("root")
    via = authority("intermediate", ca, serial=7)
    for name, serial in {"0": 0, "negative": -7, "of 20 bytes": 1 << 158, "of 40 bytes": 1 << 318, "the same as its issuer": 7}.items():
        yield Case("serial number " + name, [site(via, serial=serial), via], [ca])
    same = authority("intermediate", ca, serial=7)
    yield Case("two intermediates of the same serial number", [site(via), same, via], [ca])
    bare = dict(constraints=b"", usage=b"", purpose=b"", key_identifiers=False)
    yield Case("leaf of version 1", [leaf(via, common_name=HOST, version=1, **bare), via], [ca])
    yield Case("leaf of version 1 that is trusted", [alone := leaf(None, common_name=HOST, version=1, **bare)], [alone])
    yield Case("leaf of version 1 with extensions", [site(via, version=1), via], [ca])
    yield Case("leaf of version 2", [leaf(via, common_name=HOST, version=2, **bare), via], [ca])
    yield Case("leaf of version 4", [site(via, version=4), via], [ca])
    yield Case("empty subject, critical names", [leaf(via, common_name="", san=alternative_names(dns(HOST), critical=True)), via], [ca])
    yield Case("empty subject, names not critical", [site(via, common_name=""), via], [ca])
    yield Case("subject of 300 letters", [site(via, common_name="a" * 300), via], [ca])
    nameless = authority("", ca)
    yield Case("issuer without a name", [site(nameless), nameless], [ca])
    yield Case("leaf with the subject of its issuer", [site(via, name=via.subject), via], [ca])
