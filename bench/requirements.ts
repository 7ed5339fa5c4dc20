import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** What the benchmark needs of the machine is missing; the message says how to get it. */
export class Missing extends Error {}

/** Tools that npm does not bring, and Debian's packages that do. */
const tools = { wrk: "wrk", nginx: "nginx", taskset: "util-linux" } as const;

/** nginx lives where the path of ordinary users does not lead. */
const PLACES = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];

export type Tools = Record<keyof typeof tools, string>;

/** Where the tools are. @throws Missing */
export function findTools(): Tools {
  const missing = Object.entries(tools).filter(([name]) => find(name) === undefined);
  if (missing.length > 0) {
    const names = missing.map(([name]) => name).join(" and ");
    const packages = missing.map(([, debian]) => debian).join(" ");
    throw new Missing(`The benchmark needs ${names}. On Debian and Ubuntu: apt-get install ${packages}`);
  }
  return { wrk: find("wrk") ?? "", nginx: find("nginx") ?? "", taskset: find("taskset") ?? "" };
}

function find(name: string): string | undefined {
  return PLACES.map((place) => join(place, name)).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
