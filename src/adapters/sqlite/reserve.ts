import { randomFillSync } from "node:crypto";
import { closeSync, constants, existsSync, openSync, realpathSync, statfsSync, truncateSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf, unavailable } from "../../domain/errors.ts";
import { fileSize, giveToOwnerOf } from "./files.ts";

/** The bytes of a reserve: a few times the log of a busy service. On a small disk it is an eighth of it. */
const SIZE = 16 * 1024 * 1024;
const SHARE = 8;
const { O_CREAT, O_WRONLY } = constants;
/** It is written in parts, of bytes that no file system can compress. */
const CHUNK = 128 * 1024;
/** How often it is tried to make a reserve again, in ms. */
const RETRY_INTERVAL = 1_000;
const NEVER = -Infinity;
const NO_SPACE: unknown[] = ["ENOSPC", "EDQUOT", "EFBIG"];

/**
 * Space on the disk of a database, kept by a file beside it, for what must succeed on a full disk: changes of operators, their
 * sessions, and counters. Once it is released, by any process, all other writes are refused until the disk has room for
 * twice as much and the reserve is whole again.
 */
export class Reserve {
  readonly #database: string;
  readonly #path: string;
  readonly #size: number;
  #triedAt = NEVER;
  /** Whether the disk had the space for it, and for as much beside it, at the last attempt. */
  #hasSpace = false;

  /** The reserve of a database file that exists. */
  constructor(database: string) {
    this.#database = realpathSync(database);
    this.#path = `${this.#database}.reserve`;
    const { blocks, bsize } = statfsSync(dirname(this.#path));
    this.#size = Math.min(SIZE, Math.floor((blocks * bsize) / SHARE / CHUNK) * CHUNK);
  }

  /** Makes the reserve if it is missing. @throws service_unavailable when the disk has no room for it */
  require(): void {
    if (this.#isWhole) return;
    const now = performance.now();
    if (now - this.#triedAt >= RETRY_INTERVAL) {
      this.#triedAt = now;
      // One that was deleted, or cannot be made for another reason, keeps nobody from writing.
      this.#hasSpace = this.#hasRoom && this.#write(this.#size);
    }
    if (this.#isWhole || this.#hasSpace) return;
    throw unavailable(
      new Error(
        `The disk of ${this.#path} is full: the last ${this.#size.toLocaleString("en")} bytes are for changes of operators and for counters.`,
      ),
    );
  }

  /** Gives its space back to the disk. Returns whether it had any. */
  release(): boolean {
    if (fileSize(this.#path) === 0) return false;
    truncateSync(this.#path);
    this.#hasSpace = false;
    return true;
  }

  /** Takes back what the disk has of a released reserve, but for a part, without which it is not whole: a start needs some. */
  refill(): void {
    if (existsSync(this.#path) && !this.#isWhole) this.#write(Math.min(this.#size - CHUNK, this.#free));
  }

  get #isWhole(): boolean {
    // Takes a microsecond.
    return fileSize(this.#path) >= this.#size;
  }

  get #free(): number {
    const { bavail, bsize } = statfsSync(dirname(this.#path));
    return bavail * bsize;
  }

  /** Whether the disk has room for the reserve, and for as much beside it. */
  get #hasRoom(): boolean {
    return this.#free + fileSize(this.#path) >= 2 * this.#size;
  }

  /** Returns false when the space was not enough. */
  #write(size: number): boolean {
    const chunk = randomFillSync(Buffer.alloc(CHUNK));
    try {
      // Another process may write it too: neither truncates what the other one has written.
      const file = openSync(this.#path, O_CREAT | O_WRONLY, 0o600);
      try {
        giveToOwnerOf(this.#database, file);
        for (let at = 0; at + CHUNK <= size; at += CHUNK) writeSync(file, chunk, 0, CHUNK, at);
      } finally {
        closeSync(file);
      }
      return true;
    } catch (error) {
      // Another program took the space meanwhile, or a quota ends here: what is written is a part.
      return !NO_SPACE.includes(codeOf(error));
    }
  }
}
