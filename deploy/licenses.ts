import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import lock from "../package-lock.json" with { type: "json" };

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The licences and notices of all packages that may be within a bundle or an executable, by the package's name. */
export function licenses(): string {
  return Object.entries<object>(lock.packages)
    .filter(([path, entry]) => path !== "" && !("dev" in entry) && !("optional" in entry))
    .map(([path]) => `${path.split("node_modules/").at(-1)}\n\n${noticesIn(join(ROOT, path))}`)
    .join(`\n${"-".repeat(80)}\n\n`);
}

function noticesIn(directory: string): string {
  const files = readdirSync(directory)
    .filter((name) => /^(licen[cs]e|notice|copying)/i.test(name))
    .sort();
  if (files.length > 0) return files.map((name) => readFileSync(join(directory, name), "utf8")).join("\n");
  return `${JSON.parse(readFileSync(join(directory, "package.json"), "utf8")).license}\n`;
}
