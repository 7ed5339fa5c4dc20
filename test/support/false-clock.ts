import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "./temporary.ts";

/** The library of Debian's package faketime, which changes the clock of a program. */
const LIBRARY = readdirSync("/usr/lib")
  .map((directory) => join("/usr/lib", directory, "faketime/libfaketime.so.1"))
  .find((path) => existsSync(path));

/** Whether this machine can give programs false clocks. */
export const hasFalseClocks = LIBRARY !== undefined;

/** A clock of the system for one program, which can be set while the program runs. Timers and durations stay right. */
export class FalseClock {
  readonly #file = join(temporaryDirectory(), "clock");
  #offset = 0;

  /** `offset`: how far it is ahead of the right time, in seconds. */
  constructor(offset = 0) {
    this.set(offset);
  }

  set(offset: number): void {
    this.#offset = offset;
    writeFileSync(this.#file, `${offset < 0 ? "" : "+"}${offset}\n`);
  }

  /** What it shows, in Unix ms. */
  now(): number {
    return Date.now() + this.#offset * 1_000;
  }

  /** The environment of the program. */
  get env(): Record<string, string> {
    return {
      LD_PRELOAD: LIBRARY ?? "",
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: "1",
      DONT_FAKE_MONOTONIC: "1",
    };
  }
}
