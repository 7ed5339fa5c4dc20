import { userInfo } from "node:os";
import type { Author } from "../domain/audit/entry.ts";

/** The author of changes by commands: the user of the operating system. */
export function commandLineAuthor(): Author {
  return { operator: { name: `command line (${userName()})` } };
}

/** Bun 1.4 reads the name only from the environment. Node throws if the user has none, as in many containers. */
function userName(): string {
  const number = `user ${process.getuid?.()}`;
  try {
    const { username } = userInfo();
    return username === "unknown" || username === "" ? number : username;
  } catch {
    return number;
  }
}
