import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../../test/support/temporary.ts";

/** The package's own folder in the checkout. */
export const CLIENT = join(import.meta.dir, "../..");

/** A program in node_modules/.bin of the checkout. */
const tool = (name: string) => join(CLIENT, "../node_modules/.bin", name);

/** Creates a project that depends on the package, built from the current sources. Returns its directory. */
export function projectWithPackage(): string {
  const project = temporaryDirectory();
  const place = join(project, "node_modules/@petstore/client");
  mkdirSync(place, { recursive: true });
  for (const part of ["package.json", "README.md", "src"])
    cpSync(join(CLIENT, part), join(place, part), { recursive: true });
  const built = spawnSync(tool("tsc"), ["--project", CLIENT, "--outDir", join(place, "dist")], { encoding: "utf8" });
  if (built.status !== 0) throw new Error(`the package cannot be built:\n${built.stdout}${built.stderr}`);
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "sample", type: "module", dependencies: { "@petstore/client": "1.0.0" } }),
  );
  return project;
}
