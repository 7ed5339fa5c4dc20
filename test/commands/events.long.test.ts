import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { commandFor } from "../support/runtime.ts";
import { useService } from "../support/use-service.ts";
import { Workplace } from "./petstore.ts";

const service = useService({ now: Date.now() });
const petstore = new Workplace(service);

test("the history of a pet is listed, as a table and as JSON", async () => {
  const { pets } = service.stores;
  const { id } = await pets.create({ name: "Rex", categoryId: 9223372036854775807n });
  await pets.update(BigInt(id), { status: "sold" });
  const { stdout } = await petstore.run(["events", "list", "--subject", `pets/${id}`]);
  expect(stdout.split("\n").map((line) => /pet\.\w+ +pets\/\d+ +\d/.exec(line)?.[0].split(/ +/))).toEqual([
    undefined,
    ["pet.created", `pets/${id}`, "1"],
    ["pet.updated", `pets/${id}`, "2"],
    undefined,
  ]);
  const json = await petstore.run(["events", "list", "--subject", `pets/${id}`, "--types", "pet.created", "--json"]);
  expect(json.stdout).toContain('"categoryId": 9223372036854775807');
  expect(await petstore.run(["events", "list", "--subject", "dogs/1"])).toMatchObject({ code: 2 });
}, 60_000);

test("--follow prints what happens from now on, each event as a line", async () => {
  const { events, pets } = service.stores;
  const after = String(await events.newest());
  const [program, ...args] = commandFor("src/main.ts");
  const following = spawn(program, [...args, "events", "list", "--follow", "--after", after], {
    env: { PATH: process.env.PATH, DATABASE_URL: service.store.url },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: following.stdout });
  const { id } = await pets.create({ name: "Mia", categoryId: 1n });
  const [line] = await once(lines, "line");
  expect(JSON.parse(String(line))).toMatchObject({ type: "pet.created", subject: `pets/${id}`, data: { name: "Mia" } });
  following.kill();
  await once(following, "exit");
}, 60_000);
