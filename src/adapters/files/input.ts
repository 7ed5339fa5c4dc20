import { createReadStream, type Stats, statSync } from "node:fs";
import type { Readable } from "node:stream";
import { FileError, fileError } from "./file-error.ts";

/** Bytes read at a time. */
const CHUNK = 64 * 1024;

/** The input was stopped: what comes after the last chunk is not known, so an unfinished line in it is none. */
export class InputStopped extends Error {}

/** The bytes of a file or of a stream, counted, until they end or are stopped. */
export class Input {
  /** Bytes that came so far. */
  bytesRead = 0;
  /** How many will come, where that is known. */
  readonly size: number | undefined;
  readonly #name: string;
  readonly #open: () => Readable;
  #stream: Readable | undefined;
  #isStopped = false;

  private constructor(name: string, open: () => Readable, size?: number) {
    this.#name = name;
    this.#open = open;
    this.size = size;
  }

  /** @throws UnusableFile */
  static file(path: string): Input {
    const stats = statsOf(path);
    if (stats.isDirectory()) throw new FileError(`${path} cannot be read: it is a directory.`);
    const open = () => createReadStream(path, { highWaterMark: CHUNK });
    return new Input(path, open, stats.isFile() ? stats.size : undefined);
  }

  /** What `open` gives, which is called when reading begins. */
  static stream(name: string, open: () => Readable): Input {
    return new Input(name, open);
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Reads no further: `chunks` throws InputStopped. */
  stop(): void {
    this.#isStopped = true;
    this.#stream?.destroy();
  }

  /** @throws UnusableFile, InputStopped */
  async *chunks(): AsyncGenerator<Uint8Array> {
    this.#stream = this.#open();
    try {
      for await (const chunk of this.#stream) {
        if (this.#isStopped) break;
        this.bytesRead += chunk.length;
        yield chunk;
      }
    } catch (error) {
      if (!this.#isStopped) throw fileError(this.#name, "read", error);
    }
    if (this.#isStopped) throw new InputStopped();
  }
}

function statsOf(path: string): Stats {
  try {
    return statSync(path);
  } catch (error) {
    throw fileError(path, "read", error);
  }
}
