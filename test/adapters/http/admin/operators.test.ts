import { expect, test } from "bun:test";
import { states } from "../../../support/markdown.ts";
import { useService } from "../../../support/use-service.ts";

const service = useService();

test("the only admin can revoke others, but not itself", async () => {
  states("SECURITY.md", "The only admin cannot be revoked.");
  states(
    "docs/administration.md",
    "The only admin cannot be revoked: create another one first.",
    "Or the operator is the only admin.",
  );
  const { client, operator } = await service.withOperator("admin");
  const { operator: viewer } = await service.withOperator("viewer");
  const revoke = (id: string) => client.request(`/admin/v1/operators/${id}/revoke`, { method: "POST" });
  expect((await revoke(viewer.id)).status).toBe(200);
  const refused = await revoke(operator.id);
  expect([refused.status, refused.body.code]).toEqual([409, "invalid_state"]);
  expect(refused.body.message).toBe("This is the only admin. Create another one first.");
  const { operator: other } = await service.withOperator("admin");
  expect((await revoke(operator.id)).status).toBe(200);
  expect((await service.stores.operators.get(other.id))?.revokedAt).toBeUndefined();
});

test("of two admins that revoke each other at once, one stays", async () => {
  for (let round = 0; round < 5; round++) {
    const active = (await service.stores.operators.list()).filter(({ revokedAt }) => revokedAt === undefined);
    expect(active).toHaveLength(1);
    const [one, two] = [await service.withOperator("admin"), await service.withOperator("admin")];
    for (const { id } of active) await one.client.request(`/admin/v1/operators/${id}/revoke`, { method: "POST" });
    const answers = await Promise.all([
      one.client.request(`/admin/v1/operators/${two.operator.id}/revoke`, { method: "POST" }),
      two.client.request(`/admin/v1/operators/${one.operator.id}/revoke`, { method: "POST" }),
    ]);
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    // The second may find its own token revoked before it is looked up.
    expect([
      [200, 401],
      [200, 409],
    ]).toContainEqual(statuses);
  }
});
