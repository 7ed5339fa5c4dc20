import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sqlOperators } from "../../src/adapters/sql/operators.ts";
import { sqlAuditLog } from "../../src/adapters/sql/records.ts";
import { Database } from "../../src/adapters/sqlite/database.ts";
import {
  identityOf,
  OperatorAdministration,
  type OperatorStore,
  operatorWithToken,
  SignInFailure,
  sessionWithSecret,
} from "../../src/domain/operators.ts";
import { type TemporaryFile, temporaryFile } from "../adapters/sqlite/temporary.ts";
import { TESTER } from "../support/author.ts";
import { states } from "../support/markdown.ts";

const NOW = Date.UTC(2026, 11, 2, 10);
const TWELVE_HOURS = 43_200_000;
let file: TemporaryFile;
let database: Database;
let operators: OperatorStore;
let administration: OperatorAdministration;
beforeAll(() => {
  file = temporaryFile();
  database = new Database(file);
  operators = sqlOperators(database);
  administration = new OperatorAdministration(operators, TESTER);
});
afterAll(() => {
  database.close();
  file.remove();
});

test("an operator that is revoked again keeps the time of its revocation", async () => {
  await administration.create("Bea", "admin", NOW);
  const { operator, token } = await administration.create("Ada", "admin", NOW);
  expect(await operatorWithToken(operators, token)).toEqual(operator);
  await administration.revoke(operator.id, NOW + 1);
  expect((await administration.revoke(operator.id, NOW + 2)).revokedAt).toBe(NOW + 1);
  expect(await operatorWithToken(operators, token)).toBeUndefined();
  const entries = await sqlAuditLog(database).list({ limit: 9, target: operator.id });
  expect(entries.map(({ action }) => action)).toEqual(["operator.revoke", "operator.create"]);
});

test("a session is valid for twelve hours, to the millisecond", async () => {
  const { operator } = await administration.create("Ada", "admin", NOW);
  const { secret, session } = await administration.signIn(operator, NOW);
  const end = NOW + TWELVE_HOURS;
  expect(session.expiresAt).toBe(end);
  expect(await sessionWithSecret(operators, secret, end - 1)).toEqual({ operator, session });
  expect(await sessionWithSecret(operators, secret, end)).toBeUndefined();
});

test("a session that begins while its operator is being revoked is not valid", async () => {
  const { operator } = await administration.create("Ada", "admin", NOW);
  await administration.revoke(operator.id, NOW);
  const { secret } = await administration.signIn(operator, NOW);
  expect(await sessionWithSecret(operators, secret, NOW)).toBeUndefined();
});

describe("who an ID token names", () => {
  const rule = { claim: "roles", admins: ["a1", "a2"], viewers: ["v"] };
  const named = (claims: Record<string, unknown>, by = rule) =>
    identityOf({ iss: "https://login.example", sub: "s1", roles: "v", ...claims }, by);
  const problemOf = (work: () => unknown) => {
    try {
      work();
    } catch (error) {
      return error instanceof SignInFailure ? error.problem : error;
    }
    return undefined;
  };

  test.each([
    ["a text", "v", "viewer"],
    ["a list", ["x", "v"], "viewer"],
    ["a list with both", ["v", "a2"], "admin"],
    ["another text", "a2", "admin"],
  ])("the role is in %s", (_, roles, role) => {
    states(
      "docs/settings.md",
      "The claim of the ID token that has the roles of a person: a text, or a list of texts.",
      "Admin comes first.",
    );
    states(
      "docs/administration.md",
      "`PETSTORE_OIDC_ROLE_CLAIM` | The claim of the ID token with the roles of a person: a text or a list of texts",
    );
    expect(named({ roles }).role).toBe(role as "admin");
  });

  test.each([
    ["no claim", undefined],
    ["another text", "vv"],
    ["a part of a text", "x v"],
    ["an object", { v: true }],
    ["a list in a list", [["v"]]],
    ["true", true],
    ["null", null],
  ])("%s gives no role", (_, roles) => {
    states("docs/administration.md", "The claim is one of the ID token itself, not a part of another.");
    expect(problemOf(() => named({ roles }))).toBe("no_role");
  });

  test("a claim of every object gives none", () => {
    const everywhere = { claim: "constructor", admins: ["function Object() { [native code] }"], viewers: [] };
    expect(problemOf(() => named({}, everywhere))).toBe("no_role");
  });

  test("an e-mail gives a role if it is verified", () => {
    states(
      "docs/administration.md",
      "An e-mail gives a role only if the provider says that it is verified.",
      "Set `PETSTORE_OIDC_ROLE_CLAIM=email`, and the addresses as `PETSTORE_OIDC_ADMINS` and `PETSTORE_OIDC_VIEWERS`.",
    );
    const byEmail = { claim: "email", admins: ["ada@example.com"], viewers: [] };
    const email = "ada@example.com";
    expect(named({ email, email_verified: true }, byEmail)).toMatchObject({ name: email, role: "admin" });
    for (const email_verified of [false, undefined, "true", 1]) {
      expect(problemOf(() => named({ email, email_verified }, byEmail))).toBe("no_role");
    }
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["the e-mail", { email: " ada@example.com ", name: "Ada" }, "ada@example.com"],
    ["no e-mail that is not verified", { email: "ada@example.com", email_verified: false, name: "Ada" }, "Ada"],
    ["the user name before the name", { preferred_username: "ada", name: "Ada" }, "ada"],
    ["nothing that is no text", { email: 1, preferred_username: ["x"], name: "Ada" }, "Ada"],
    ["nothing with control characters", { email: "a\nb", name: "a\u001b[2Jb" }, "s1"],
    ["nothing blank, or with half a character", { email: " ", name: "\ud800" }, "s1"],
    ["the beginning of a long text", { name: "😀".repeat(150) }, "😀".repeat(100)],
    ["the subject", {}, "s1"],
  ])("the name is %s", (_, claims, name) => {
    states(
      "docs/administration.md",
      "The name is the e-mail, unless the provider says that it is not verified; then it is `preferred_username`, `name` or the subject.",
    );
    expect(named(claims).name).toBe(name);
  });

  test("subjects of other forms are refused", () => {
    for (const sub of ["", " s", "s\n", "é", "x".repeat(256)])
      expect(problemOf(() => named({ sub }))).toBe("sign_in_failed");
    expect(named({ sub: "a b|c:/".padEnd(255, "x") }).name).toHaveLength(100);
  });
});
