import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { PROGRAM } from "./program.ts";

type Started = {
  /** The command line of the program; of an executable, its path alone. */
  program: readonly string[];
  /** The variables that name what runs the container. */
  environment: Record<string, string | undefined>;
  exists: (path: string) => boolean;
  /** By default the id of a container, or the name of its pod. */
  host: string;
};

/** Where the image of deploy/Containerfile has the executable. */
const IN_IMAGE = "/usr/local/bin/petstore";

/** Whether systemd has started this process (`pid`) as a unit. */
export function isUnit(environment: Started["environment"], pid: number): boolean {
  return environment.SYSTEMD_EXEC_PID === String(pid);
}

/** How an operator runs a command of this program, by how it was started: `npx petstore` in a checkout. */
export function commandOf({ program, environment, exists, host }: Started): string {
  if (program.length > 1) return "npx petstore";
  if (program[0] !== IN_IMAGE || environment.SYSTEMD_EXEC_PID !== undefined) return "petstore";
  if (environment.KUBERNETES_SERVICE_HOST !== undefined) return `kubectl exec ${host} -- petstore`;
  if (exists("/run/.containerenv")) return `podman exec ${host} petstore`;
  return exists("/.dockerenv") ? `docker exec ${host} petstore` : "petstore";
}

export const COMMAND = commandOf({
  program: PROGRAM,
  environment: process.env,
  exists: existsSync,
  host: hostname(),
});

/** Without the name of a container, for pages that anybody reads. */
export const PUBLIC_COMMAND = COMMAND.startsWith("npx") ? COMMAND : "petstore";

/** A command in backquotes, as an example in a line of its own, or in the place of a file. */
const NAMED = /(?<=`|^ {2}|<\(|^ {2}[A-Z]+=.* )petstore (?=[a-z])/gm;

/** Names the commands in a text as the operator runs them. The sources have them as `petstore`. */
export function asRun(text: string, command = COMMAND): string {
  return text.replace(NAMED, () => `${command} `);
}
