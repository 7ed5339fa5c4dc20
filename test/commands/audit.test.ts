import { expect, test } from "bun:test";
import { useService } from "../support/use-service.ts";
import { Workplace } from "./petstore.ts";

const service = useService({ now: Date.now() });
const petstore = new Workplace(service);

test("audit lists changes, newest first, by operator, action, target and time", async () => {
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

test("each change is short: the name, and the fields before and after, in at most 80 columns", async () => {
  const { id } = await petstore.json("keys", "create", "--name", "My app", "--plan", "free");
  await petstore.json("keys", "set-plan", id, "pro");
  await petstore.json("keys", "rename", id, "My shop");
  await petstore.json("keys", "rotate", id);
  const lines = (await petstore.run(["audit", "--target", id])).stdout.trimEnd().split("\n");
  expect(lines.filter((line) => line.startsWith("  "))).toEqual([
    expect.stringMatching(/^ {2}lastFour: \w{4} → \w{4}; othersExpireAt: 20/),
    '  "My shop" name: My app → My shop',
    '  "My app" plan: free → pro; limits.perMinute: 60 → 300; limits.perDay: 1,000 →…',
    expect.stringMatching(/^ {2}"My app" plan: free; limits\.perMinute: 60; .*…$/),
  ]);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);

  await petstore.json("keys", "rename", id, "A long name, ".repeat(8).slice(0, 98));
  await petstore.json("keys", "set-plan", id, "free");
  const { stdout } = await petstore.run(["audit", "--target", id, "--limit", "1"]);
  expect(stdout).toContain('\n  "A long name, A long name, A lo… plan: pro → free; ');
});
