import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { StartupError } from "../domain/errors.ts";

/**
 * Returns a path for the socket where workers count limits, in a new directory that only this user can enter.
 * @throws StartupError
 */
export async function newLimiterSocket(): Promise<string> {
  return join(await mkdtemp(join(tmpdir(), "petstore-")).catch(cannotHaveSocket), "limits");
}

/** @throws StartupError which names the setting */
export function cannotHaveSocket({ message }: Error): never {
  throw new StartupError(
    `The workers cannot have a socket in ${tmpdir()}. Set TMPDIR to a directory that is writable and whose path is short. Reason: ${message}`,
  );
}

/** The path of the file beside a socket whose memory workers share. */
export function countsFileOf(path: string): string {
  return `${path}.counts`;
}

/** Removes the socket with its directory: the parent does when it stops, and its workers do when it was killed. */
export function removeLimiterSocket(path: string): Promise<void> {
  return rm(dirname(path), { recursive: true, force: true });
}
