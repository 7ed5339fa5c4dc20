import type { Issued } from "../../domain/keys/administration.ts";
import { timestampOf } from "../../domain/timestamp.ts";
import { count } from "../count.ts";
import { print } from "../print.ts";
import { formatTime } from "../time.ts";

/** A new secret, and where to use it. `remark`: a sentence about earlier secrets. */
type NewSecret = { issued: Issued; baseUrl: string; remark?: string };

/** Prints a new secret, which is shown only once, and how to use it. */
export function printSecret({ issued, baseUrl, remark }: NewSecret, isJson?: boolean): void {
  const { key, secret } = issued;
  const { id, name, plan, createdAt, expiresAt } = key;
  const value = { id, key: secret, name, plan, createdAt: timestampOf(createdAt), expiresAt: timestampOf(expiresAt) };
  const { perMinute, perDay } = key.limits;
  print(
    isJson,
    value,
    () => `
  ${secret}

  This is key ${id}, "${name}", on the ${plan} plan:
  ${count(perMinute, ["request", "requests"])} per minute, ${perDay.toLocaleString("en")} per day.
  The secret is shown only once: store it safely.
  The key ${expiresAt === undefined ? "never expires" : `expires at ${formatTime(expiresAt)}`}.${remark === undefined ? "" : `\n  ${remark}`}

  Try it:

    curl -H "Authorization: Bearer ${secret}" ${baseUrl}/pets
`,
  );
}
