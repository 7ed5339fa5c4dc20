import { expect, test } from "bun:test";
import { OperatorAdministration } from "../../src/domain/operators.ts";
import { TESTER } from "../support/author.ts";
import { Client } from "../support/client.ts";
import { states } from "../support/markdown.ts";
import { useService } from "../support/use-service.ts";
import { Workplace } from "./petstore.ts";

const service = useService({ now: Date.now() });
const petstore = new Workplace(service);

const statusWith = async (token: string) => {
  const client = Client.ofOperator({ url: service.adminUrl, headers: { Authorization: `Bearer ${token}` } });
  return (await client.get("/admin/v1/session")).status;
};

test("an operator can sign in after creation, and not after revocation", async () => {
  states(
    "SECURITY.md",
    "makes a user an operator, who can create others. The audit log records what commands do, not direct changes of the file.",
  );
  states("SECURITY.md", "Access to `petstore` on the database makes a user an operator");
  const created = await petstore.json("operators", "create", "--name", "Ada", "--role", "viewer");
  const { token, ...operator } = created;
  expect(operator).toEqual({
    id: expect.stringMatching(/^op_\w{16}$/),
    name: "Ada",
    role: "viewer",
    provider: null,
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    revokedAt: null,
  });
  expect(await statusWith(token)).toBe(200);
  expect(await petstore.json("operators", "list")).toEqual([operator]);
  const revoked = await petstore.json("operators", "revoke", operator.id);
  expect(revoked).toEqual({ ...operator, revokedAt: expect.any(String) });
  expect(await statusWith(token)).toBe(401);
});

test("without --json, create shows the token once, and list does not", async () => {
  const { stdout } = await petstore.run(["operators", "create", "--name", "Grace", "--role", "admin"]);
  const [token = ""] = /pets_oper_\w{39}/.exec(stdout) ?? [];
  expect(await statusWith(token)).toBe(200);
  expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  const { stdout: list } = await petstore.run(["operators", "list"]);
  expect(list).toMatch(/^ID +NAME +ROLE +CREATED +STATUS\n/);
  expect(list).toMatch(/Grace +admin .* active\n/);
  expect(list).not.toContain("pets_oper_");
});

test("the list shows when an operator was created, and when revoked", async () => {
  const operators = new OperatorAdministration(service.stores.operators, TESTER);
  const { operator } = await operators.create("Eve", "viewer", Date.UTC(2026, 0, 31, 23, 59));
  await operators.revoke(operator.id, Date.UTC(2026, 1, 1));
  const { stdout } = await petstore.run(["operators", "list"]);
  expect(stdout).toMatch(new RegExp(`^${operator.id} +Eve +viewer +2026-01-31 +revoked 2026-02-01$`, "m"));
});

test.each([
  [["create", "--name", "Ada"], /--role/],
  [["create", "--name", "Ada", "--role", "root"], /viewer, admin/],
  [["create", "--name", " ", "--role", "admin"], /1 to 100 characters/],
])("operators %j is a usage error", async (args, message) => {
  const { code, stderr } = await petstore.run(["operators", ...args]);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

test("revoke of an operator that does not exist fails", async () => {
  const { code, stderr } = await petstore.run(["operators", "revoke", "op_nobody"]);
  expect([code, stderr]).toEqual([
    1,
    `petstore: There is no operator op_nobody. ${petstore.shown("operators list")} shows all operators.\n`,
  ]);
});

test("the only admin is not revoked", async () => {
  const admins = (await petstore.json("operators", "list")).filter(
    ({ role, revokedAt }: { role: string; revokedAt: string | null }) => role === "admin" && revokedAt === null,
  );
  expect(admins).toHaveLength(1);
  const { code, stderr } = await petstore.run(["operators", "revoke", admins[0].id]);
  expect([code, stderr]).toEqual([1, "petstore: This is the only admin. Create another one first.\n"]);
});

test("a name with bidirectional control characters shows them in tables, and is exact in JSON", async () => {
  const name = "Ada \u202egnp.exe";
  await petstore.json("operators", "create", "--name", name, "--role", "viewer");
  const { stdout } = await petstore.run(["operators", "list"]);
  expect(stdout).toContain("Ada [U+202E]gnp.exe  viewer");
  expect(stdout).not.toContain("\u202e");
  expect((await petstore.json("operators", "list")).at(-1).name).toBe(name);
});

test("the list shows whose role the provider decides", async () => {
  const identity = {
    issuer: "https://login.example",
    subject: "eve",
    name: "eve@example.com",
    role: "viewer",
  } as const;
  await new OperatorAdministration(service.stores.operators, TESTER).signInWith(identity, Date.now());
  expect((await petstore.run(["operators", "list"])).stdout).toMatch(/eve@\S+ +viewer \(SSO\) .* active\n/);
  expect((await petstore.json("operators", "list")).at(-1)).toMatchObject({ provider: "https://login.example" });
});

test("a long name is cut in the list, so that lines have 80 columns and the ids are whole", async () => {
  const name = "A".repeat(100);
  const { id } = await petstore.json("operators", "create", "--name", name, "--role", "viewer");
  const lines = (await petstore.run(["operators", "list"])).stdout.trimEnd().split("\n");
  expect(lines.at(-1)).toMatch(new RegExp(`^${id}  A+…  viewer  `));
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});
