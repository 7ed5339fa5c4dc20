import {
  type Backup,
  type BackupLocation,
  backupTime,
  descriptionName,
  parseBackup,
  type StoredBackup,
} from "../../domain/backups.ts";
import type { Deployment } from "../../domain/deployment.ts";
import type { S3Objects } from "./client.ts";

const CONCURRENCY = 8;

/** `upload`: uploads a file as a backup. */
export type S3Backups = BackupLocation & { upload(path: string, backup: Backup): Promise<void> };

export function s3Backups(objects: S3Objects, deployment: Deployment): S3Backups {
  const described = async (backup: Omit<StoredBackup, "description">, isDescribed: boolean): Promise<StoredBackup> => {
    const text = isDescribed ? await objects.getText(descriptionName(backup.name)) : undefined;
    return { ...backup, description: parseBackup(text ?? "", backup.name) };
  };
  const describe = async (backup: Backup) => {
    const body = new TextEncoder().encode(`${JSON.stringify(backup, null, 2)}\n`);
    await objects.put(descriptionName(backup.name), body);
  };
  return {
    describe,

    async list() {
      const stored = await objects.list();
      const keys = new Set(stored.map(({ key }) => key));
      const found = stored
        .flatMap(({ key, bytes }) => {
          const at = backupTime(key, deployment);
          return at === undefined ? [] : [{ name: key, at, bytes }];
        })
        .sort((a, b) => b.at - a.at);
      const listed: StoredBackup[] = [];
      for (let from = 0; from < found.length; from += CONCURRENCY) {
        const some = found.slice(from, from + CONCURRENCY);
        listed.push(...(await Promise.all(some.map((one) => described(one, keys.has(descriptionName(one.name)))))));
      }
      return listed;
    },

    async open(name) {
      return backupTime(name, deployment) === undefined ? undefined : await objects.get(name);
    },

    /** The description follows: it says that the upload is complete. */
    async upload(path, backup) {
      await objects.putFile(backup.name, path);
      await describe(backup);
    },

    async remove(name) {
      await objects.remove(name);
      await objects.remove(descriptionName(name));
    },
  };
}
