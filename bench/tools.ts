/** Programs that npm does not install, with their Debian packages. */
const packages = {
  taskset: "util-linux",
  wrk: "wrk",
  nginx: "nginx",
  "redis-server": "redis-server",
  pgbench: "postgresql-contrib",
  go: "golang-go",
  cargo: "cargo",
  cc: "gcc",
} as const;

export type Tool = keyof typeof packages;

/** Something that this machine cannot measure: its benchmarks are skipped. */
export class Untaken extends Error {}

/** nginx is in a directory that is not on the path of ordinary users, Rust in one of their own. */
const PATH = `${process.env.PATH}:/usr/sbin:/usr/local/sbin:${process.env.HOME}/.cargo/bin`;

/** Returns the path of a program. @throws when it is missing, with the package that has it */
export function pathOf(tool: Tool): string {
  const path = Bun.which(tool, { PATH });
  if (path === null) throw new Error(`${tool} is missing. On Debian and Ubuntu: apt-get install ${packages[tool]}`);
  return path;
}
