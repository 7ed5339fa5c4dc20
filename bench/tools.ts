/** Programs that npm does not bring, and Debian's packages that do. */
const packages = {
  taskset: "util-linux",
  wrk: "wrk",
  nginx: "nginx",
  "redis-server": "redis-server",
  pgbench: "postgresql-contrib",
} as const;

export type Tool = keyof typeof packages;

/** nginx lives where the path of ordinary users does not lead. */
const PATH = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;

/** Where a program is. @throws when it is missing, saying how to get it */
export function pathOf(tool: Tool): string {
  const path = Bun.which(tool, { PATH });
  if (path === null) throw new Error(`${tool} is missing. On Debian and Ubuntu: apt-get install ${packages[tool]}`);
  return path;
}
