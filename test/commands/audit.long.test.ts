import { expect, test } from "bun:test";
import { KeyAdministration, type KeyChange } from "../../src/domain/keys/administration.ts";
import { states } from "../support/markdown.ts";
import { useService } from "../support/use-service.ts";
import { Workplace } from "./petstore.ts";

const service = useService({ now: Date.now() });
const petstore = new Workplace(service);

const NAMED = ["pet", "category"].flatMap((noun) => ["create", "update", "delete"].map((verb) => `${noun}.${verb}`));

test("audit lists changes, newest first, by operator, action, target and time", async () => {
  states("docs/commands.md", "`petstore audit` | Lists the changes that operators and commands made.");
  states("docs/data.md", "`audit` shows the changes that operators and commands made.");
  const { id } = await service.createKey();
  const { client: admin, operator } = await service.withOperator();
  await admin.request(`/admin/v1/keys/${id}/revoke`, { method: "POST" });
  const all = await petstore.json("audit");
  expect(all).toEqual((await admin.get("/admin/v1/audit")).body.entries);

  const actions = async (...options: string[]) =>
    (await petstore.json("audit", ...options)).map(({ action }: { action: string }) => action);
  expect(await actions("--target", id)).toEqual(["key.revoke", "key.create"]);
  expect(await actions("--target", id, "--limit", "1")).toEqual(["key.revoke"]);
  expect(await actions("--target", id, "--action", "key.create,key.update")).toEqual(["key.create"]);
  expect(await actions("--operator", operator.id)).toEqual(["key.revoke"]);
  expect(await actions("--operator", operator.name)).toEqual(["key.revoke"]);
  expect(await actions("--target", id, "--since", new Date(service.now + 1).toISOString())).toEqual([]);
  expect(await actions("--target", id, "--since", new Date(service.now).toISOString())).toHaveLength(2);

  const { stdout } = await petstore.run(["audit", "--target", id]);
  expect(stdout).toMatch(new RegExp(`^TIME +OPERATOR +ACTION +TARGET\n\\d{4}-.*Z +Ada +key\\.revoke +${id}\n`));
  expect(stdout).toMatch(/^ {2}"test" revokedAt: 20[\dT:.-]+Z$/m);
  expect((await petstore.run(["audit", "--target", "key_nobody"])).stdout).toBe("No change matches.\n");
});

test("a long list says how to go on, and JSON has all of it", async () => {
  const { id } = await petstore.json("keys", "create", "--name", "My app", "--plan", "free");
  const administration = new KeyAdministration(service.stores.keys, "production", { operator: { name: "Ada" } });
  for (let i = 0; i < 110; i += 1) await administration.update(id, { name: `My app ${i}` }, Date.now());
  const all = await petstore.json("audit", "--target", id);
  expect(all).toHaveLength(111);
  const lines = (await petstore.run(["audit", "--target", id])).stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(102);
  const last = all[49].id;
  expect(lines.at(-1)).toBe(`More follow: add --after ${last}, or a larger --limit.`);
  expect(await petstore.json("audit", "--target", id, "--after", String(last), "--limit", "3")).toEqual(
    all.slice(50, 53),
  );
  expect((await petstore.run(["audit", "--target", id, "--limit", "111"])).stdout).not.toContain("More follow");
});

test("each change has the name of what it is about, also of what was removed", async () => {
  const { client: admin } = await service.withOperator();
  const add = async (path: string, body: object) =>
    (
      await admin.request(`/admin/v1${path}`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "Content-Type": "application/json" },
      })
    ).body;
  const { id: categoryId } = await add("/categories", { name: "Cats" });
  const pet = await add("/pets", { name: "Mia", categoryId: 7 });
  const said = async (...args: string[]) => expect((await petstore.run(args)).code).toBe(0);
  await said("pets", "update", String(pet.id), "--name", "Max");
  await said("pets", "delete", String(pet.id));
  await said("categories", "rename", String(categoryId), "Lions");
  await said("categories", "delete", String(categoryId));

  const { stdout } = await petstore.run(["audit", "--action", NAMED.join(","), "--limit", "6"]);
  const [, ...lines] = stdout.trimEnd().split("\n");
  const about = lines.flatMap((line, at) =>
    at % 2 === 0 ? [[line.split(/ {2,}/)[2], lines[at + 1]?.split(/(?<=") /)[0]]] : [],
  );
  expect(about).toEqual([
    ["category.delete", '  "Lions"'],
    ["category.update", '  "Lions"'],
    ["pet.delete", '  "Max"'],
    ["pet.update", '  "Max"'],
    ["pet.create", '  "Mia"'],
    ["category.create", '  "Cats"'],
  ]);
});

test("each change is short: the name, and the fields before and after, in at most 80 columns", async () => {
  const { id } = await service.createKey({ plan: "free" });
  const change = (its: KeyChange) => service.changeKey((keys) => keys.update(id, its, service.now));
  await change({ plan: "pro" });
  await change({ name: "My shop" });
  await service.changeKey((keys) => keys.rotate(id, 1_000, service.now));
  const lines = (await petstore.run(["audit", "--target", id])).stdout.trimEnd().split("\n");
  expect(lines.filter((line) => line.startsWith("  "))).toEqual([
    expect.stringMatching(/^ {2}lastFour: \w{4} → \w{4}; othersExpireAt: 20/),
    '  "My shop" name: test → My shop',
    '  "test" plan: free → pro; limits.perMinute: 60 → 300; limits.perDay: 1,000 → 1…',
    expect.stringMatching(/^ {2}"test" plan: free; limits\.perMinute: 60; .*…$/),
  ]);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);

  await change({ name: "A long name, ".repeat(8).slice(0, 98) });
  await change({ plan: "free" });
  const { stdout } = await petstore.run(["audit", "--target", id, "--limit", "1"]);
  expect(stdout).toContain('\n  "A long name, A long name, A lo… plan: pro → free; ');
});
