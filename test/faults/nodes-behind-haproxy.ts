import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { besideLoad } from "../support/eventually.ts";
import { hasHaproxy, startHaproxy } from "../support/haproxy.ts";
import { Load, type Outcome } from "../support/load.ts";
import { states } from "../support/markdown.ts";
import { type Nodes, startNodes } from "../support/nodes.ts";
import { hasRedis } from "../support/redis.ts";
import type { TlsProxy } from "../support/tls-proxy.ts";

if (!hasHaproxy || !hasRedis) console.log("skipped: haproxy, openssl or redis-server is not on this machine");

const isGood = ({ status }: Outcome) => status === 200 || status === 201;

describe.skipIf(!hasHaproxy || !hasRedis)("behind HAProxy", () => {
  let nodes: Nodes;
  let haproxy: TlsProxy;
  let secret: string;
  const load = () =>
    new Load({
      urls: [haproxy.url],
      secret,
      workers: 16,
      creations: 30,
      certificate: haproxy.certificate,
      pids: () => nodes.pids,
    });
  beforeEach(async () => {
    nodes = await startNodes({
      count: 2,
      env: { PETSTORE_TRUSTED_PROXIES: "127.0.0.1", PETSTORE_ADDRESS_LIMIT: "3" },
    });
    haproxy = await startHaproxy(nodes.node(0).port, nodes.node(1).port, nodes.node(1).port);
    ({ secret } = await nodes.createKey());
  });
  afterEach(async () => {
    await haproxy.stop();
    await nodes.remove();
  });

  test("only the requests in flight of a killed node fail", async () => {
    states("docs/reliability.md", "A node is killed with `kill -9` | Only its requests in flight fail.");
    const clients = load();
    await clients.run(1_500);
    await nodes.node(0).kill();
    const gone = clients.now();
    await clients.run(3_000);
    const outcomes = await clients.stop();
    const failed = outcomes.filter((outcome) => !isGood(outcome));
    console.log(`A node killed behind HAProxy: ${failed.length} of ${outcomes.length} requests failed, all in flight`);
    for (const { began } of failed) expect(began).toBeLessThanOrEqual(gone);
    expect(failed.length).toBeLessThanOrEqual(16);
    expect(outcomes.filter(({ began }) => began > gone + 100).length).toBeGreaterThan(16);
  });

  test("no client waits long for a node that hangs", async () => {
    states("docs/reliability.md", "because a node asks its database first.");
    states(
      "docs/reliability.md",
      "A node hangs (SIGSTOP) | Its requests in flight end within 4 s, as broken connections. All others go to the other nodes.",
      "It cuts the connections to a node that does not answer.",
    );
    const clients = load();
    await clients.run(1_500);
    nodes.node(0).freeze();
    await clients.run(6_000);
    nodes.node(0).thaw();
    const outcomes = await clients.stop();
    const slowest = Math.max(...outcomes.map(({ took }) => took));
    const failed = outcomes.filter((outcome) => !isGood(outcome));
    console.log(
      `A node hangs behind HAProxy: the slowest request took ${Math.round(slowest)} ms, ${failed.length} failed`,
    );
    expect(slowest).toBeLessThan(besideLoad(4_000));
    expect(failed.length).toBeLessThanOrEqual(16);
  });

  test("a rolling restart of all nodes fails no request", async () => {
    states(
      "docs/reliability.md",
      "All nodes restart one after the other (SIGTERM)",
      "One that answers 503 gets no new requests and finishes those that it has",
    );
    const clients = load();
    await clients.run(1_000);
    for (const node of nodes.nodes) {
      expect(await node.stop()).toBe(0);
      await node.start();
      await clients.run(1_500);
    }
    const outcomes = await clients.stop();
    expect(outcomes.length).toBeGreaterThan(100);
    expect(outcomes.filter((outcome) => !isGood(outcome)).map(({ status }) => status)).toEqual([]);
  });

  test("a client with a forged X-Forwarded-For is limited by the address that HAProxy sees", async () => {
    const request = async (i: number) => {
      const headers = { "X-Forwarded-For": `203.0.113.${i}` };
      return (await fetch(`${haproxy.url}/v1/pets`, { tls: { ca: haproxy.certificate }, headers })).status;
    };
    const statuses = [];
    for (let i = 0; i < 10; i++) statuses.push(await request(i));
    // Three per node.
    expect(statuses.filter((status) => status === 401)).toHaveLength(6);
    expect(statuses.filter((status) => status === 429)).toHaveLength(4);
  });
});
