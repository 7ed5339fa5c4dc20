import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { clientAddress, parseRanges } from "../../../src/adapters/http/client-address.ts";
import { holds } from "../../support/holds.ts";
import { states } from "../../support/markdown.ts";

const proxies = parseRanges(["10.0.0.0/8", "192.0.2.1", "fd00::/8"]);
const nobody = parseRanges([]);

const byte = fc.nat(255);
const proxy = fc.oneof(
  fc.tuple(byte, byte, byte).map((rest) => `10.${rest.join(".")}`),
  fc.constantFrom("192.0.2.1", "fd00::1", "fdff:1:2:3:4:5:6:7", "::ffff:10.1.2.3"),
);
const outsider = fc.oneof(
  fc.tuple(fc.integer({ min: 11, max: 99 }), byte, byte, byte).map((bytes) => bytes.join(".")),
  fc
    .array(fc.nat(0xffff), { minLength: 7, maxLength: 7 })
    .map((groups) => `2001:${groups.map((group) => group.toString(16)).join(":")}`),
);
const claim = fc.array(
  fc.oneof(proxy, outsider, fc.constantFrom("", "unknown", "_hidden", "1.2.3.4:80", "x".repeat(99))),
);
const separator = fc.constantFrom(",", ", ", " ,", " , ");

describe("the address that a request without a key counts for", () => {
  test("is the peer if that is not a trusted proxy, even if it forwards another", () => {
    states(
      "docs/upgrading.md",
      "All unauthenticated clients get 429 together | They share the proxy's address: the proxy is not trusted.",
    );
    states(
      "docs/running.md",
      "Without this setting, all unauthenticated clients behind a proxy share the proxy's address.",
    );
    holds(
      fc.property(outsider, claim, (peer, hops) => {
        const alone = clientAddress(peer, null, nobody);
        expect(clientAddress(peer, hops.join(","), proxies)).toBe(alone);
        expect(clientAddress(peer, hops.join(","), nobody)).toBe(alone);
      }),
    );
  });

  test("is the nearest address that is not a trusted proxy, even if that one claims another", () => {
    states(
      "SECURITY.md",
      "`X-Forwarded-For` is trusted from the proxies that you list. If you list an address that clients can have, they choose their own address.",
    );
    states("docs/settings.md", "Proxies whose `X-Forwarded-For` is trusted");
    states(
      "docs/running.md",
      "The service trusts `X-Forwarded-For` only from addresses in `PETSTORE_TRUSTED_PROXIES`: the client is the nearest address in the header that is not a trusted proxy",
    );
    holds(
      fc.property(proxy, claim, outsider, fc.array(proxy), separator, (peer, claimed, client, passed, comma) => {
        const forwarded = [...claimed, client, ...passed].join(comma);
        expect(clientAddress(peer, forwarded, proxies)).toBe(clientAddress(client, null, nobody));
      }),
    );
  });

  test("is what a trusted proxy forwards, and only that: an address is trusted alone, a range with all that begins as it does", () => {
    const bytes = fc.constantFrom(4, 16).chain((size) => fc.array(byte, { minLength: size, maxLength: size }));
    holds(
      fc.property(bytes, fc.nat(128), fc.nat(127), fc.boolean(), (address, length, bit, isAlone) => {
        const bits = 8 * address.length;
        const shared = isAlone ? bits : length % (bits + 1);
        const flipped = bit % bits;
        const neighbour = address.map((each, i) => (i === flipped >> 3 ? each ^ (128 >> (flipped & 7)) : each));
        const [trusted, other] = [address, neighbour].map((each) => ipaddr.fromByteArray(each));
        // Such an address is one of IPv4, and in no range of IPv6.
        if ([trusted, other].some((each) => each instanceof ipaddr.IPv6 && each.isIPv4MappedAddress())) return;
        const known = parseRanges([isAlone ? `${trusted}` : `${trusted}/${shared}`]);
        expect(clientAddress(`${trusted}`, "203.0.113.9", known)).toBe("203.0.113.9");
        const isTrusted = flipped >= shared;
        const own = clientAddress(`${other}`, null, nobody);
        if (own === "203.0.113.9") return;
        expect(clientAddress(`${other}`, "203.0.113.9", known)).toBe(isTrusted ? "203.0.113.9" : own);
      }),
    );
  });

  test("is the farthest proxy if only proxies are named", () => {
    holds(
      fc.property(proxy, fc.array(proxy, { minLength: 1 }), (peer, passed) => {
        expect(clientAddress(peer, passed.join(", "), proxies)).toBe(clientAddress(passed[0] ?? "", null, nobody));
      }),
    );
  });

  test.each([
    ["198.51.100.7:50123", "198.51.100.7"],
    ["[2001:db8::7]:50123", "2001:db8::/64"],
    ["[2001:DB8::7]", "2001:db8::/64"],
    ["2001:db8::7:80", "2001:db8::/64"],
    ["203.0.113.9, 198.51.100.7:50123, 10.0.0.1:80, [fd00::2]:443", "198.51.100.7"],
  ])("is without the port that a proxy forwards with it: %s", (forwarded, address) => {
    states(
      "docs/running.md",
      "the client is the nearest address in the header that is not a trusted proxy, with or without a port.",
    );
    expect(clientAddress("10.0.0.9", forwarded, proxies)).toBe(address);
  });

  test.each(["198.51.100.7:", "198.51.100.7:x", ":80", "[]:80", "[2001:db8::7]x", "[::1", "198.51.100.7:80:81"])(
    "is the proxy itself if what it forwards is no address with a port: %s",
    (forwarded) => {
      expect(clientAddress("10.0.0.9", `192.0.2.77, ${forwarded}`, proxies)).toBe("10.0.0.9");
    },
  );

  test("is the proxy itself if it forwards an invalid address", () => {
    holds(
      fc.property(proxy, claim, fc.string(), (peer, claimed, junk) => {
        const hop = junk.split(",").at(-1)?.trim() ?? "";
        if (ipaddr.isValid(hop) || /^\[.*\]|:\d+$/.test(hop)) return;
        expect(clientAddress(peer, [...claimed, hop].join(","), proxies)).toBe(clientAddress(peer, null, nobody));
      }),
    );
  });

  test("is an IPv6 network of 64 bits, with all its addresses and no others", () => {
    const half = fc.array(fc.nat(0xffff), { minLength: 4, maxLength: 4 });
    const address = (network: number[], host: number[]) =>
      [...network, ...host].map((group) => group.toString(16)).join(":");
    holds(
      fc.property(half, fc.nat(3), fc.nat(0xffff), half, half, (network, place, group, host, neighbour) => {
        const other = network.with(place, group);
        if (network[0] === 0 || other[0] === 0) return;
        const counted = clientAddress(address(network, host), null, nobody);
        expect(counted).toEndWith("/64");
        expect(clientAddress(address(network, neighbour), null, nobody)).toBe(counted);
        const isSame = String(network) === String(other);
        expect(clientAddress(address(other, host), null, nobody) === counted).toBe(isSame);
      }),
    );
  });

  test("is an IPv4 address, also when it is mapped to IPv6", () => {
    holds(
      fc.property(fc.ipV4(), (address) => {
        expect(clientAddress(address, null, nobody)).toBe(address);
        expect(clientAddress(`::ffff:${address}`, null, nobody)).toBe(address);
      }),
    );
  });

  test("exists for any header", () => {
    holds(
      fc.property(fc.string(), fc.option(fc.string()), (peer, forwarded) => {
        expect(clientAddress(peer, forwarded, proxies)).not.toBe("");
      }),
    );
  });
});
