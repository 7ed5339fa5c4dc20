import { createReadStream, type Stats, statSync } from "node:fs";
import type { Readable } from "node:stream";
import { FileError, fileError } from "./file-error.ts";

const CHUNK_BYTES = 64 * 1024;

/** The input was stopped. The last chunk may end in the middle of a line. */
export class InputStopped extends Error {}

/** Reads a file or a stream, until it ends or is stopped, and counts the bytes. */
export class Input {
  /** Bytes read so far. */
  bytesRead = 0;
  /** The size in bytes, if it is known. */
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

  /** @throws FileError */
  static file(path: string): Input {
    const stats = statsOf(path);
    if (stats.isDirectory()) throw new FileError(`${path} cannot be read: it is a directory.`);
    const open = () => createReadStream(path, { highWaterMark: CHUNK_BYTES });
    return new Input(path, open, stats.isFile() ? stats.size : undefined);
  }

  /** `open` is called when reading begins. */
  static stream(name: string, open: () => Readable): Input {
    return new Input(name, open);
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Stops reading: `chunks` throws InputStopped. */
  stop(): void {
    this.#isStopped = true;
    this.#stream?.destroy();
  }

  /** @throws FileError, InputStopped */
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
