import {
  type Backup,
  type BackupContents,
  type BackupLocation,
  backupTime,
  descriptionName,
  parseBackup,
  type StoredBackup,
} from "../../domain/backups.ts";
import type { Deployment } from "../../domain/deployment.ts";
import type { S3Objects } from "./client.ts";

const CONCURRENCY = 8;

export class S3Backups implements BackupLocation {
  readonly #objects: S3Objects;
  readonly #deployment: Deployment;

  constructor(objects: S3Objects, deployment: Deployment) {
    this.#objects = objects;
    this.#deployment = deployment;
  }

  async list(): Promise<StoredBackup[]> {
    const objects = await this.#objects.list();
    const keys = new Set(objects.map(({ key }) => key));
    const found = objects
      .flatMap(({ key, bytes }) => {
        const at = backupTime(key, this.#deployment);
        return at === undefined ? [] : [{ name: key, at, bytes }];
      })
      .sort((a, b) => b.at - a.at);
    const listed: StoredBackup[] = [];
    for (let from = 0; from < found.length; from += CONCURRENCY) {
      const described = found.slice(from, from + CONCURRENCY).map(async (backup) => {
        const isDescribed = keys.has(descriptionName(backup.name));
        return { ...backup, description: isDescribed ? await this.#description(backup.name) : undefined };
      });
      listed.push(...(await Promise.all(described)));
    }
    return listed;
  }

  async open(name: string): Promise<BackupContents | undefined> {
    return backupTime(name, this.#deployment) === undefined ? undefined : await this.#objects.get(name);
  }

  /** Uploads a file as a backup. The description follows: it says that the upload is complete. */
  async upload(path: string, backup: Backup): Promise<void> {
    await this.#objects.putFile(backup.name, path);
    await this.describe(backup);
  }

  async describe(backup: Backup): Promise<void> {
    const body = new TextEncoder().encode(`${JSON.stringify(backup, null, 2)}\n`);
    await this.#objects.put(descriptionName(backup.name), body);
  }

  async remove(name: string): Promise<void> {
    await this.#objects.remove(name);
    await this.#objects.remove(descriptionName(name));
  }

  async #description(name: string): Promise<Backup | undefined> {
    return parseBackup((await this.#objects.getText(descriptionName(name))) ?? "", name);
  }
}
