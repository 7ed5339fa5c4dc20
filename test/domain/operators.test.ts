import { afterAll, beforeAll, expect, test } from "bun:test";
import { sqlOperators } from "../../src/adapters/sql/operators.ts";
import { sqlAuditLog } from "../../src/adapters/sql/records.ts";
import { Database } from "../../src/adapters/sqlite/database.ts";
import {
  OperatorAdministration,
  type OperatorStore,
  operatorWithToken,
  sessionWithSecret,
} from "../../src/domain/operators.ts";
import { type TemporaryFile, temporaryFile } from "../adapters/sqlite/temporary.ts";
import { TESTER } from "../support/author.ts";

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
