import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { states } from "../support/markdown.ts";
import { useKey, useService } from "../support/use-service.ts";
import { hasTools } from "./reader.ts";

const SCRIPT = join(import.meta.dir, "../../samples/orders.sh");
const service = useService();
const { key, client } = useKey(service);

test.skipIf(!hasTools)("samples/orders.sh does with its orders what it says", async () => {
  states("docs/commands.md", "and a script that places some orders.");
  for (let pet = 1; pet <= 6; pet++) await client.post("/v1/pets", { name: `Pet ${pet}`, categoryId: 1 });
  const env = { PATH: process.env.PATH, KEY: key.secret };
  const child = spawn("sh", [SCRIPT, `${service.url}/v1`], { env, stdio: ["ignore", "pipe", "inherit"] });
  const [printed] = await Promise.all([text(child.stdout), once(child, "close")]);
  expect(child.exitCode).toBe(0);

  const [, all, approved, delivered, cancelled] =
    /^# Orders (\w+) available pets; approves (\w+) of the orders, delivers (\w+) and cancels (\w+)\.$/m.exec(
      readFileSync(SCRIPT, "utf8"),
    ) ?? [];
  const number = (word = "") => ["no", "one", "two", "three", "four", "five"].indexOf(word);
  const { body: orders } = await client.get("/v1/store/orders?limit=100");
  const count = (status: string) => orders.filter((order: { status: string }) => order.status === status).length;
  expect(orders).toHaveLength(number(all));
  expect(count("delivered")).toBe(number(delivered));
  expect(count("approved")).toBe(number(approved) - number(delivered));
  expect(count("cancelled")).toBe(number(cancelled));
  const { body: inventory } = await client.get("/v1/store/inventory");
  expect(printed.trim().split("\n").at(-1)).toBe(JSON.stringify(inventory));
});
