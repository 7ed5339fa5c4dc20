import { rmSync } from "node:fs";
import { Database } from "../../src/adapters/sqlite/database.ts";
import { SqliteKeys } from "../../src/adapters/sqlite/keys.ts";
import { KeyAdministration } from "../../src/domain/keys/administration.ts";
import { defaultScopes } from "../../src/domain/keys/key.ts";
import type { Limits } from "../../src/domain/limits/limits.ts";
import { TESTER } from "../support/author.ts";
import { databasePathOf } from "../support/store.ts";
import { temporaryDirectory } from "../support/temporary.ts";

/** A directory for a store, which disposal removes with its files. */
export class StoreDirectory implements Disposable {
  readonly path = temporaryDirectory();

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Limits that no test reaches. */
export const AMPLE: Limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 };

/** Adds an Enterprise key to the store in this directory, and returns its secret. */
export async function createKey(directory: string): Promise<string> {
  const database = new Database({ path: databasePathOf(directory), deployment: "production" });
  try {
    const administration = new KeyAdministration(new SqliteKeys(database), "production", TESTER);
    const request = { name: "test", plan: "enterprise" as const, limits: AMPLE, scopes: [...defaultScopes] };
    return (await administration.create(request, Date.now())).secret;
  } finally {
    database.close();
  }
}
