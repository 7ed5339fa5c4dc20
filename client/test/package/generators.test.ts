import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@hey-api/openapi-ts";
import openapiTS, { astToString } from "openapi-typescript";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { useService } from "../../../test/support/use-service.ts";
import { CLIENT } from "../support/package.ts";

const modules = join(CLIENT, "node_modules");
const TSC = join(CLIENT, "../node_modules/.bin/tsc");

const service = useService();

/** Type-checks this program with its generated code by the strictest rules, then runs it. */
async function compileAndRun(project: string, program: string): Promise<unknown> {
  const { secret } = await service.createKey();
  symlinkSync(modules, join(project, "node_modules"));
  writeFileSync(join(project, "smoke.ts"), program);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    target: "es2022",
    module: "esnext",
    moduleResolution: "bundler",
    lib: ["es2022", "dom", "dom.iterable"],
    types: [],
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["**/*.ts"] }));
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }));
  const compiled = spawnSync(TSC, ["--project", project], { encoding: "utf8" });
  expect(compiled.stdout).toBe("");
  const args = ["--no-env-file", join(project, "smoke.ts"), `${service.url}/v1`, secret];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

const EXPECTED = {
  created: { id: expect.any(Number), name: "Rex", categoryId: 7, status: "sold" },
  listed: ["Rex"],
  details: [{ in: "body", field: "name", problem: expect.any(String) }],
  missing: [404, "pet_not_found"],
};

test("openapi-typescript generates types with which openapi-fetch calls the service", async () => {
  const project = temporaryDirectory();
  writeFileSync(join(project, "schema.ts"), astToString(await openapiTS(new URL(`${service.url}/openapi.json`))));
  const seen = await compileAndRun(
    project,
    `import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

declare const process: { argv: string[] };
const [, , baseUrl = "", key] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${key}\` } });

const body: components["schemas"]["NewPet"] = { name: "Rex", categoryId: 7, status: "sold" };
const created = await client.POST("/pets", { body });
if (created.error) throw new Error(created.error.message);
const { id } = created.data;
const listed = await client.GET("/pets", { params: { query: { ids: [id], status: "sold", limit: 5 } } });
const invalid = await client.POST("/pets", { body: { ...body, name: "" } });
const missing = await client.GET("/pets/{petId}", { params: { path: { petId: 4711 } } });
console.log(JSON.stringify({
  created: created.data,
  listed: listed.data?.map(({ name }) => name),
  details: invalid.error?.details,
  missing: [missing.response.status, missing.error?.code],
}));
`,
  );
  expect(seen).toEqual(EXPECTED);
});

test("@hey-api/openapi-ts generates a client that calls the service", async () => {
  const project = temporaryDirectory();
  await createClient({
    input: `${service.url}/openapi.json`,
    output: join(project, "generated"),
    plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
    logs: { level: "silent" },
  });
  const seen = await compileAndRun(
    project,
    `import { client } from "./generated/client.gen";
import { createPet, getPet, listPets } from "./generated";

declare const process: { argv: string[] };
const [, , baseUrl = "", auth = ""] = process.argv;
client.setConfig({ baseUrl, auth });

const body = { name: "Rex", categoryId: 7, status: "sold" } as const;
const created = await createPet({ body });
if (created.error) throw new Error(created.error.message);
const { id } = created.data;
const listed = await listPets({ query: { ids: [id], status: "sold", limit: 5 } });
const invalid = await createPet({ body: { ...body, name: "" } });
const missing = await getPet({ path: { petId: 4711 } });
console.log(JSON.stringify({
  created: created.data,
  listed: listed.data?.map(({ name }) => name),
  details: invalid.error?.details,
  missing: [missing.response?.status, missing.error?.code],
}));
`,
  );
  expect(seen).toEqual(EXPECTED);
});
