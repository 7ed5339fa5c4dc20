import { createReadStream } from "node:fs";
import { lstat, mkdir, readdir, readFile, rename, rm, stat, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
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
import { codeOf, messageOf } from "../../domain/errors.ts";

/** A part of a file that is read at a time, in bytes. */
const CHUNK = 128 * 1024;
/** What a killed process leaves is removed after an hour, in ms: another process may be writing it. */
const ABANDONED = 3_600_000;
/** What must stay free on the disk beside a download, in bytes: the service may be using the same disk. */
const RESERVE = 32 * 1024 * 1024;
/** The ending of a file that is not finished. */
const UNFINISHED = ".unfinished-";

export class BackupDirectory implements BackupLocation {
  readonly path: string;
  readonly #deployment: Deployment;

  constructor(path: string, deployment: Deployment) {
    this.path = path;
    this.#deployment = deployment;
  }

  /** Makes the directory, but none above it: a disk that is not mounted is not replaced by a directory. */
  async create(): Promise<void> {
    await mkdir(this.path, { mode: 0o700 }).catch((error) => {
      if (codeOf(error) !== "EEXIST")
        throw new Error(`The directory ${this.path} cannot be made: ${messageOf(error)}.`);
    });
  }

  /** @throws when there is no room for a file of so many bytes */
  async requireRoom(bytes: number): Promise<void> {
    const { bavail, bsize } = await statfs(this.path);
    if (bytes + RESERVE <= bavail * bsize) return;
    throw new Error(`${this.path} has no room for a file of ${bytes} bytes.`);
  }

  fileOf(name: string): string {
    return join(this.path, name);
  }

  /** A name for a file that takes its place when it is finished. */
  unfinished(name: string, id: string = crypto.randomUUID()): string {
    return join(this.path, `${name}${UNFINISHED}${id}`);
  }

  async list(): Promise<StoredBackup[]> {
    const names = await this.#names();
    const found = await Promise.all(names.map((name) => this.#stored(name)));
    return found.filter((backup) => backup !== undefined).sort((a, b) => b.at - a.at);
  }

  async open(name: string): Promise<BackupContents | undefined> {
    const stored = await this.#stored(name);
    return stored && { bytes: stored.bytes, chunks: chunksOf(this.fileOf(name)) };
  }

  /** What is written down about a file of any name; undefined if nothing is, or what is there describes another one. */
  async description(name: string): Promise<Backup | undefined> {
    const text = await readFile(this.fileOf(descriptionName(name)), "utf8").catch(() => "");
    return parseBackup(text, name);
  }

  async describe(backup: Backup): Promise<void> {
    const name = descriptionName(backup.name);
    const unfinished = this.unfinished(name);
    try {
      await writeFile(unfinished, `${JSON.stringify(backup, null, 2)}\n`, { flush: true, mode: 0o600 });
      await rename(unfinished, this.fileOf(name));
    } catch (error) {
      await rm(unfinished, { force: true });
      throw new Error(`${this.fileOf(name)} cannot be written: ${messageOf(error)}.`);
    }
  }

  async remove(name: string): Promise<void> {
    await rm(this.fileOf(name), { force: true });
    await rm(this.fileOf(descriptionName(name)), { force: true });
  }

  /** Removes what the process that was to write this backup has left, now that it has ended. */
  async removeUnfinished(name: string): Promise<void> {
    const left = (await this.#names(UNFINISHED)).filter((file) => file.startsWith(name));
    for (const file of left) await rm(this.fileOf(file), { force: true });
  }

  /** Removes what processes that were killed have left unfinished. `now` is Unix ms. */
  async removeAbandoned(now: number): Promise<void> {
    for (const name of await this.#names(UNFINISHED)) {
      const file = this.fileOf(name);
      const { mtimeMs } = await lstat(file).catch(() => ({ mtimeMs: now }));
      if (now - mtimeMs > ABANDONED) await rm(file, { force: true });
    }
  }

  /** The names in the directory of backups, or of what belongs to one and is unfinished. */
  async #names(ending?: string): Promise<string[]> {
    const names = await readdir(this.path).catch((error) => {
      if (codeOf(error) === "ENOENT") return [];
      throw new Error(`${this.path} cannot be read: ${messageOf(error)}.`);
    });
    if (ending === undefined) return names.filter((name) => backupTime(name, this.#deployment) !== undefined);
    return names.filter((name) => {
      const [beginning = "", rest] = name.split(ending);
      return rest !== undefined && backupTime(beginning.replace(/\.json$/, ""), this.#deployment) !== undefined;
    });
  }

  async #stored(name: string): Promise<StoredBackup | undefined> {
    const at = backupTime(name, this.#deployment);
    if (at === undefined) return undefined;
    const stats = await lstat(this.fileOf(name)).catch(() => undefined);
    if (!stats?.isFile()) return undefined;
    return { name, at, bytes: stats.size, description: await this.description(name) };
  }
}

async function* chunksOf(file: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(file, { highWaterMark: CHUNK });
}

type Disk = { free: number; size: number; device: number };

/** The disk of a path, in bytes; undefined if it cannot be read. */
export async function diskOf(path: string): Promise<Disk | undefined> {
  try {
    const [{ bavail, blocks, bsize }, { dev }] = await Promise.all([statfs(path), stat(path)]);
    return { free: bavail * bsize, size: blocks * bsize, device: dev };
  } catch {
    return undefined;
  }
}
