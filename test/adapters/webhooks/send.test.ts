import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { webhookSender } from "../../../src/adapters/webhooks/send.ts";
import { MAX_URL_LENGTH } from "../../../src/domain/webhooks.ts";
import { makeCertificate } from "../../support/haproxy.ts";
import { states } from "../../support/markdown.ts";
import { commandFor } from "../../support/runtime.ts";
import { runtimes } from "../../support/runtimes.ts";
import { temporaryDirectory } from "../../support/temporary.ts";

const PROGRAM = fileURLToPath(new URL("send-program.ts", import.meta.url));

describe.each(runtimes)("on %s", (runtime) => {
  let directory = "";
  let printed: { outcomes: Record<string, { status?: number; error?: string }>; [name: string]: unknown };
  beforeAll(() => {
    directory = temporaryDirectory();
    makeCertificate(directory);
    const [program, ...args] = commandFor(PROGRAM, runtime);
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(directory, "certificate.pem") };
    const options = { encoding: "utf8", env, timeout: 60_000 } as const;
    const { stdout, stderr, status } = spawnSync(program, [...args, directory], options);
    if (status !== 0) throw new Error(`it ends with ${status}, and has printed ${stdout}${stderr}`);
    printed = JSON.parse(stdout);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test("a request reaches a listed host whole, by name or address, with and without TLS", () => {
    states(
      "docs/settings.md",
      "Hosts that webhooks may have although they are not public: names and IPv4 addresses of receivers",
    );
    const { outcomes, received } = printed;
    expect([outcomes.plain, outcomes.address, outcomes.secure]).toEqual(Array(3).fill({ status: 200 }));
    const body = '{"name":"Ëlla 🐈"}';
    expect(received).toEqual(["localhost", "127.0.0.1", "localhost"].map((host) => ({ path: "/", host, body })));
  });

  test("the certificate must be that of the name", () => {
    states("docs/webhooks.md", "and its certificate must be valid.");
    expect(printed.outcomes.otherName?.error).toContain("altnames");
  });

  test("redirects are not followed", () => {
    states("docs/webhooks.md", "Redirects are not followed");
    expect(printed.outcomes.redirect).toEqual({ status: 302 });
    expect(printed.redirected).toBe(false);
  });

  test("the head of an answer counts, however long it is, and time is limited", () => {
    expect(printed.outcomes.gone).toEqual({ status: 410 });
    expect(printed.outcomes.endless).toEqual({ status: 200 });
    expect(printed.outcomes.silent).toEqual({ error: "no answer within 0.5 s" });
    expect(printed.outcomes.closed?.error).toMatch(/ECONNREFUSED|refused|connect/i);
  });

  test("an answer that takes too long is cut, also when its head was in time", () => {
    expect([printed.outcomes.slow, printed.slowEndedBy]).toEqual([{ status: 200 }, "the sender"]);
  });

  test("an answer that is too long is cut, and no connection is left behind", () => {
    expect(printed.endlessBytes).toBeLessThan(16 * 1024 * 1024);
    expect(printed.open).toBe(0);
  });

  test.each([
    ["unlisted", "must begin with https://"],
    ["mixed", "10.0.0.1, which is not public"],
    ["mapped", "::ffff:127.0.0.1, which is not public"],
    ["metadata", "169.254.169.254, which is not public"],
    ["rebinding", "127.0.0.1, which is not public"],
    ["empty", "has no address"],
    ["unknown", "ENOTFOUND"],
  ])("nothing is sent to %s", (name, reason) => {
    states(
      "docs/webhooks.md",
      "the service resolves the name for each connection, and connects only to a public address",
    );
    expect(printed.outcomes[name]?.status).toBeUndefined();
    expect(printed.outcomes[name]?.error).toContain(reason);
  });

  test("requests share a connection", () => {
    expect(printed.outcomes.connectionsOfTwenty as unknown).toBe(1);
    expect(printed.twenty).toEqual(Array.from({ length: 20 }, (_, i) => String(i)));
  });
});

const { problemOf } = webhookSender({ hosts: ["receiver", "10.0.0.7"] });

test.each([
  "https://shop.example.com/hook?x=1",
  "https://8.8.8.8/",
  "https://[2606:4700::1111]:8443/",
  "http://receiver/",
  "http://RECEIVER:8080/",
  "https://10.0.0.7/",
])("%s may be the URL of an endpoint", (url) => {
  states("docs/settings.md", "Only their URLs may begin with `http://`.");
  states("docs/webhooks.md", "list their hosts, which may then have any address, and `http`:");
  expect(problemOf(url)).toBeUndefined();
});

test.each(
  [
    "http://shop.example.com/",
    "ftp://shop.example.com/",
    "file:///etc/passwd",
    "shop.example.com",
    "",
    "https://",
    "https://user:secret@shop.example.com/",
    "https://shop.example.com/#fragment",
    `https://shop.example.com/${"x".repeat(MAX_URL_LENGTH)}`,
    // Every way to write an address that is not public.
    ...["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0.0.0.0", "10.0.0.8", "172.16.0.1"],
    ...["192.168.1.1", "169.254.169.254", "100.64.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1"],
    ...[
      "[::1]",
      "[::]",
      "[fe80::1]",
      "[fc00::1]",
      "[fd00::1]",
      "[::ffff:10.0.0.7]",
      "[::ffff:7f00:1]",
      "[::127.0.0.1]",
    ],
    ...["[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[2001::1]", "[2001:db8::1]", "[ff02::1]", "[fec0::1]", "[100::1]"],
  ].map((one) => (/^[\d[]/.test(one) ? `https://${one}/` : one)),
)("%s may not", (url) => {
  states(
    "docs/webhooks.md",
    "An endpoint has a URL with `https`",
    "not to one that is private, loopback, link-local, shared (carrier-grade NAT), unique local, or an IPv4 address within IPv6.",
  );
  expect(problemOf(url)).toBeString();
});
