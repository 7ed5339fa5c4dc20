import type { Issued } from "../../domain/keys/administration.ts";
import { timestampOf } from "../../domain/timestamp.ts";
import { print } from "../print.ts";
import { readableOf } from "../time.ts";

/** Prints a new secret, the only time that it can be read, and how to use it. */
export function printSecret({ key, secret }: Issued, baseUrl: string, isJson?: boolean): void {
  const { id, name, plan, createdAt, expiresAt } = key;
  const value = { id, key: secret, name, plan, createdAt: timestampOf(createdAt), expiresAt: timestampOf(expiresAt) };
  const { perMinute, perDay } = key.limits;
  print(
    isJson,
    value,
    () => `
  ${secret}

  This is key ${id}, "${name}", on the ${plan} plan: ${perMinute.toLocaleString("en")} requests a minute, ${perDay.toLocaleString("en")} a day.
  It is shown only now, so put it in a safe place. It ${expiresAt === undefined ? "never expires" : `expires at ${readableOf(expiresAt)}`}.

  Try it:

    curl -H "Authorization: Bearer ${secret}" ${baseUrl}/pets
`,
  );
}
