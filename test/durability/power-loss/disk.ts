import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Event, Write } from "./trace.ts";

/** Files by name. */
export type Files = Map<string, Buffer>;

/** A disk writes a sector as a whole. */
const SECTOR = 512;

/**
 * A disk that loses power. A sync of a file keeps what was written to it before; the name of a new or deleted file is kept
 * by a sync of its directory. Of the other writes it keeps any.
 */
export class Disk {
  #synced: Files;
  #pending: Write[] = [];
  /** The writes that each sync under way covers, by its thread. */
  readonly #covered = new Map<string, Write[]>();
  readonly #names: Set<string>;

  constructor(files: Files) {
    this.#synced = new Map(files);
    this.#names = new Set(files.keys());
  }

  /** The states in which a loss of power around this event may leave the files. Then the event has happened. */
  states(event: Event): Files[] {
    const before = event.kind === "sync" || event.kind === "synced" ? this.#selections() : [];
    this.#apply(event);
    return isWrite(event) ? this.#prefixes() : before;
  }

  /** The files after a loss of power now, if the disk keeps nothing but what was synced. */
  synced(): Files {
    return this.#with([]);
  }

  #apply(event: Event): void {
    if (event.kind === "sync") this.#sync(event.file, event.thread);
    else if (event.kind === "synced") this.#keep(event.thread);
    else if (isWrite(event)) this.#pending.push(event);
  }

  /** After each write: everything written so far, and the same with the last write torn. */
  #prefixes(): Files[] {
    const last = this.#pending.at(-1);
    if (last === undefined) return [];
    return [this.#with(this.#pending), this.#with([...this.#pending.slice(0, -1), ...torn(last)])];
  }

  /** Before a sync: nothing but what was synced, only the last write, and every other one. */
  #selections(): Files[] {
    const pending = this.#pending;
    return [[], pending.slice(-1), pending.filter((_, i) => i % 2 === 0), pending.filter((_, i) => i % 2 === 1)].map(
      (kept) => this.#with(kept),
    );
  }

  #sync(file: string, thread: string): void {
    const isDirectory = file === "";
    const covered = this.#pending.filter((write) => (changesNames(write) ? isDirectory : write.file === file));
    this.#covered.set(thread, covered);
    if (isDirectory) for (const name of applied(this.#synced, this.#pending).keys()) this.#names.add(name);
  }

  #keep(thread: string): void {
    // Another sync that has ended meanwhile may have kept some of them.
    const kept = this.#covered.get(thread)?.filter((write) => this.#pending.includes(write)) ?? [];
    this.#covered.delete(thread);
    this.#synced = applied(this.#synced, kept);
    this.#pending = this.#pending.filter((write) => !kept.includes(write));
    for (const write of kept) if (changesNames(write)) this.#names.delete(write.file);
  }

  /** The files after these writes, those that the directory names or that were changed since. */
  #with(writes: Write[]): Files {
    const files = applied(this.#synced, writes);
    const changed = new Set(writes.map((write) => (write.kind === "rename" ? write.to : write.file)));
    return new Map([...files].filter(([name]) => this.#names.has(name) || changed.has(name)));
  }
}

function isWrite(event: Event): event is Write {
  return event.kind !== "sync" && event.kind !== "synced" && event.kind !== "acknowledge";
}

function changesNames({ kind }: Write): boolean {
  return kind === "delete" || kind === "rename";
}

function applied(files: Files, writes: Write[]): Files {
  const changed = new Map(files);
  for (const write of writes) {
    const before = changed.get(write.file) ?? Buffer.alloc(0);
    if (changesNames(write)) changed.delete(write.file);
    if (write.kind === "rename") changed.set(write.to, before);
    else if (write.kind !== "delete") changed.set(write.file, changedBy(before, write));
  }
  return changed;
}

function changedBy(before: Buffer, write: Write & { kind: "write" | "truncate" }): Buffer {
  const size = write.kind === "truncate" ? write.size : Math.max(before.length, write.at + write.bytes.length);
  const after = Buffer.alloc(size);
  before.copy(after);
  if (write.kind === "write") write.bytes.copy(after, write.at);
  return after;
}

/** The first sectors of a write; none if it does not go beyond one. */
function torn(write: Write): Write[] {
  if (write.kind !== "write") return [];
  const middle = write.at + write.bytes.length / 2;
  const kept = Math.floor(middle / SECTOR) * SECTOR - write.at;
  return kept <= 0 ? [] : [{ ...write, bytes: write.bytes.subarray(0, kept) }];
}

/** The files of a directory. */
export function filesIn(directory: string): Files {
  return new Map(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name))]));
}

/** Makes a directory with these files. */
export function write(files: Files, directory: string): void {
  mkdirSync(directory);
  for (const [name, bytes] of files) writeFileSync(join(directory, name), bytes);
}
