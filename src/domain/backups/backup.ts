import { z } from "zod";
import { type Deployment, deployments } from "../deployment.ts";

/** The schedule deletes its own old backups. Those that an operator asked for stay. */
export const causes = ["schedule", "operator"] as const;
export type Cause = (typeof causes)[number];

const count = z.int().min(0);

/**
 * What a service wrote down about a backup when it had written and checked it. `database` is the path of the original.
 * `verifiedAt` (Unix ms) is the last check, and `problem` what it found.
 */
export const Backup = z.strictObject({
  name: z.string(),
  database: z.string(),
  cause: z.enum(causes),
  bytes: count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  schema: count,
  pets: count,
  orders: count,
  keys: count,
  verifiedAt: z.int(),
  problem: z.string().nullable(),
});
export type Backup = z.infer<typeof Backup>;

const NAME = new RegExp(
  `^petstore-(${deployments.join("|")})-(\\d{4}-\\d\\d-\\d\\d)T(\\d\\d)-(\\d\\d)-(\\d\\d\\.\\d{3}Z)\\.db$`,
);

/** The name of a deployment's backup made at `at` (Unix ms). Names sort by time, and are valid on every file system. */
export function backupName(deployment: Deployment, at: number): string {
  return `petstore-${deployment}-${new Date(at).toISOString().replaceAll(":", "-")}.db`;
}

/** When the deployment's backup of this name was made, in Unix ms; undefined for any other name. */
export function backupTime(name: string, deployment: Deployment): number | undefined {
  const [, of, date, hours, minutes, seconds] = NAME.exec(name) ?? [];
  if (of !== deployment) return undefined;
  const time = Date.parse(`${date}T${hours}:${minutes}:${seconds}`);
  return Number.isNaN(time) ? undefined : time;
}

/** The name of the file, or object, that describes a backup. */
export function descriptionName(name: string): string {
  return `${name}.json`;
}

/** Reads a description. Returns undefined unless it describes the backup of this name. */
export function parseBackup(text: string, name: string): Backup | undefined {
  try {
    const { success, data } = Backup.safeParse(JSON.parse(text));
    return success && data.name === name ? data : undefined;
  } catch {
    return undefined;
  }
}
