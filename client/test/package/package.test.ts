import { beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { VERSION } from "../../src/options.ts";
import { CLIENT } from "../support/package.ts";
import { readmeExamples } from "../support/readme.ts";

const root = join(CLIENT, "..");
const COMPILERS = {
  "TypeScript 5": join(CLIENT, "node_modules/typescript/bin/tsc"),
  "TypeScript 7": join(root, "node_modules/typescript/bin/tsc"),
};

let tarball: string;
let project: string;
beforeAll(() => {
  const place = temporaryDirectory();
  const [packed] = JSON.parse(npm(["pack", "--json", "--pack-destination", place], CLIENT));
  tarball = join(place, packed.filename);
  project = temporaryDirectory();
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "sample", type: "module", private: true }));
  npm(["install", "--offline", "--no-audit", "--no-fund", tarball], project);
});

function npm(args: string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync("npm", ["--silent", ...args], { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm ${args.join(" ")}:\n${stdout}${stderr}`);
  return stdout;
}

test("the package contains the files that it needs, and no others", () => {
  const place = join(project, "node_modules/@petstore/client");
  expect(readdirSync(place).sort()).toEqual(["LICENSE", "README.md", "dist", "package.json", "src"]);
  const sources = readdirSync(join(place, "src")).map((name) => name.replace(/\.ts$/, ""));
  const built = sources.flatMap((name) => [".js", ".js.map", ".d.ts", ".d.ts.map"].map((ending) => name + ending));
  expect(readdirSync(join(place, "dist")).sort()).toEqual(built.sort());
  const { version, dependencies, peerDependencies, sideEffects } = JSON.parse(
    readFileSync(join(place, "package.json"), "utf8"),
  );
  expect(version).toBe(VERSION);
  expect([dependencies, peerDependencies, sideEffects]).toEqual([undefined, undefined, false]);
  expect(readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["@petstore"]);
});

test("source maps lead to the sources in the package", () => {
  const dist = join(project, "node_modules/@petstore/client/dist");
  for (const name of readdirSync(dist).filter((file) => file.endsWith(".map"))) {
    const { sources } = JSON.parse(readFileSync(join(dist, name), "utf8"));
    expect(sources.map((source: string) => existsSync(join(dist, source)))).toEqual([true]);
  }
});

describe("a strict project with the package from the tarball", () => {
  const strict = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
  };
  const kinds: Record<string, object> = {
    "for a bundler": { module: "esnext", moduleResolution: "bundler", lib: ["es2022", "dom"] },
    "for Node, without the types of a browser": { module: "nodenext", lib: ["es2022"], types: ["node"] },
  };

  beforeAll(() => {
    for (const [index, { program }] of readmeExamples().entries())
      writeFileSync(join(project, `example-${index}.ts`), program);
    writeFileSync(
      join(project, "types.ts"),
      `import { type Category, type ErrorCode, type Int64, type Pet, PetstoreClient } from "@petstore/client";
const mixed = new PetstoreClient({ apiKey: "" });
const bigints = new PetstoreClient({ apiKey: "", integers: "bigint" });
const { pets } = await mixed.listPets();
const id: Int64 | undefined = pets[0]?.id;
const always: bigint | undefined = (await bigints.listPets()).pets[0]?.id;
// @ts-expect-error in mixed mode it may be a number
const not: bigint | undefined = id;
// @ts-expect-error there is no such status
await mixed.listPets({ status: "gone" });
// @ts-expect-error a category is needed
await mixed.createPet({ name: "Rex" });
const big: bigint = (await bigints.orders.place({ petId: 1 })).petId;
const page: Category<"bigint">[] = (await bigints.categories.list({ name: "Dogs" })).categories;
const changed: Pet = await mixed.updatePet(1, ({ status }) => ({ status: status === "sold" ? "available" : "sold" }));
const count: number = (await bigints.inventory()).sold;
const seen = (await mixed.orders.get(1).withResponse()).response.headers.get("ETag");
await mixed.orders.approve(1, { ifMatch: seen });
// @ts-expect-error a function reads the pet itself
await mixed.updatePet(1, () => ({ name: "Max" }), { ifMatch: seen });
// @ts-expect-error there is no such status of an order
await mixed.orders.update(1, { status: "sold" });
// @ts-expect-error orders have no name
await mixed.orders.list({ name: "Rex" });
const code: ErrorCode = "pet_reserved";
// @ts-expect-error there is no such code
const typo: ErrorCode = "pet_resreved";
console.log(id, always, not, big, page, changed, count, code, typo);
`,
    );
  });

  test.each(
    Object.keys(kinds).flatMap((kind) =>
      Object.entries(COMPILERS).map(([name, tsc]): [string, string, string] => [kind, name, tsc]),
    ),
  )("%s type-checks with %s", (kind, name, tsc) => {
    const config = join(project, `${kind} ${name}.json`.replaceAll(/[ ,]/g, "-"));
    const compilerOptions = {
      target: "es2022",
      noEmit: true,
      types: [],
      ...strict,
      ...kinds[kind],
      typeRoots: [join(root, "node_modules/@types")],
    };
    writeFileSync(config, JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    const { stdout } = spawnSync("node", [tsc, "--project", config], { cwd: project, encoding: "utf8" });
    expect(stdout).toBe("");
  });
});

test("publint finds no problems", async () => {
  const bytes = readFileSync(tarball);
  const { messages } = await publint({
    strict: true,
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) },
  });
  expect(messages).toEqual([]);
});

test("arethetypeswrong finds no problems: ESM, for resolvers that support exports", async () => {
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarball))));
  if (analysis.types === false) throw new Error("there are no types");
  // A CommonJS program imports it dynamically; the resolution of Node 10 knew no exports.
  const meant = ["CJSResolvesToESM node16-cjs", "NoResolution node10"];
  const found = analysis.problems.map(
    (problem) => `${problem.kind} ${"resolutionKind" in problem && problem.resolutionKind}`,
  );
  expect(found.filter((problem) => !meant.includes(problem))).toEqual([]);
  expect(analysis.entrypoints["."]?.resolutions["node16-esm"].resolution?.fileName).toEndWith("/dist/main.d.ts");
});
