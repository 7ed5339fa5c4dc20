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
  expect((await petstore.run(["audit", "--target", "key_nobody"])).stdout).toBe("No change matches.\n");
});
