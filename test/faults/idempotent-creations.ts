import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Nodes, startNodes } from "../support/nodes.ts";
import { hasRedis } from "../support/redis.ts";

if (!hasRedis) console.log("skipped: there is no redis-server on this machine");

const CLIENTS = 16;
const BETWEEN_TRIES = 20;

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe.skipIf(!hasRedis)(
  "creations with an Idempotency-Key, each retried at alternating nodes until it gets 201",
  () => {
    let nodes: Nodes;
    let headers: Record<string, string>;
    /** By idempotency key, the bodies of all its 201s. */
    let answers: Map<string, string[]>;
    let tries: number;
    let isOver: boolean;
    beforeEach(async () => {
      nodes = await startNodes({ count: 3 });
      const { secret } = await nodes.createKey();
      headers = { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" };
      [answers, tries, isOver] = [new Map(), 0, false];
    });
    afterEach(() => nodes.remove());

    /** Returns the body of a 201, or undefined if the attempt failed. */
    async function attempt(node: number, name: string): Promise<string | undefined> {
      tries += 1;
      try {
        const request = { method: "POST", headers: { ...headers, "Idempotency-Key": name }, body: bodyOf(name) };
        const response = await fetch(`${nodes.node(node).url}/v1/pets`, request);
        const text = await response.text();
        expect([201, 409, 503]).toContain(response.status);
        return response.status === 201 ? text : undefined;
      } catch (error) {
        if (error instanceof Error && "code" in error) return undefined;
        throw error;
      }
    }
    const bodyOf = (name: string) => JSON.stringify({ name, categoryId: 1 });

    async function client(number: number): Promise<void> {
      for (let i = 0; !isOver; i++) {
        const name = `Pet ${number}.${i}`;
        const bodies: string[] = [];
        answers.set(name, bodies);
        for (let node = number; bodies.length === 0; node++) {
          // Twice at once, at two nodes: the first one adds the pet.
          const both = await Promise.all([attempt(node % 3, name), attempt((node + 1) % 3, name)]);
          bodies.push(...both.filter((body) => body !== undefined));
          if (bodies.length === 0) await pause(BETWEEN_TRIES);
        }
      }
    }

    test("add one pet each, while PostgreSQL is killed twice, and each node once", async () => {
      const clients = Array.from({ length: CLIENTS }, (_, i) => client(i));
      for (const node of nodes.nodes) {
        await pause(500);
        await node.kill();
        await pause(200);
        await node.start();
      }
      for (let i = 0; i < 2; i++) {
        await pause(500);
        await nodes.postgres.kill();
        await pause(300);
        await nodes.postgres.start();
      }
      await pause(1_000);
      isOver = true;
      await Promise.all(clients);

      const kept = await nodes.postgres.query("SELECT id, name FROM petstore.pets ORDER BY id");
      console.log(`${answers.size} idempotent creations in ${tries} tries: ${kept.length} pets`);
      expect(answers.size).toBeGreaterThan(0);
      expect(tries).toBeGreaterThan(2 * answers.size);
      expect(kept.map(({ name }) => name).sort()).toEqual([...answers.keys()].sort());
      const idOf = new Map(kept.map(({ id, name }) => [name, Number(id)]));
      for (const [name, bodies] of answers) {
        for (const body of bodies) expect(JSON.parse(body)).toMatchObject({ id: idOf.get(name), name });
      }
    });
  },
);
