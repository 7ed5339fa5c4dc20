import { userInfo } from "node:os";
import type { Author } from "../domain/audit/entry.ts";

/** Who changes something by a command: nobody signed in, but the system knows its user by a name. */
export function commandLine(): Author {
  return { operator: { name: `command line (${userName()})` } };
}

/** Bun 1.4 knows the name from the environment alone; a container may run as a number that no user has: Node throws then. */
function userName(): string {
  const number = `user ${process.getuid?.()}`;
  try {
    const { username } = userInfo();
    return username === "unknown" || username === "" ? number : username;
  } catch {
    return number;
  }
}
