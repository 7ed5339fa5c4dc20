import { beforeAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { useService } from "../../../test/support/use-service.ts";
import { CLIENT, projectWithPackage } from "../support/package.ts";
import { readmeExamples } from "../support/readme.ts";

const service = useService();
let project: string;
let secret: string;
beforeAll(async () => {
  secret = (await service.createKey({ plan: "business" })).secret;
  project = projectWithPackage();
});

const examples = readmeExamples();

test.each(examples.map((example, index) => ({ ...example, index })))(
  "the README's program under $heading ($index) prints the quoted output",
  ({ program, output, index }) => {
    const file = join(project, `example-${index}.ts`);
    // The README shows neither a real key nor the address of a real service.
    writeFileSync(
      file,
      program.replaceAll(`apiKey: "pets_live_…"`, `apiKey: "${secret}", baseUrl: "${service.url}/v1"`),
    );
    const { stdout, stderr } = spawnSync(process.execPath, ["--no-env-file", file], { cwd: project, encoding: "utf8" });
    expect(stdout + stderr).toBe(output);
  },
);

test("the README has every option, and an example of every operation", () => {
  const text = readFileSync(join(CLIENT, "README.md"), "utf8");
  const options = readFileSync(join(CLIENT, "src/options.ts"), "utf8");
  const names = [...options.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name = ""]) => name);
  const listed = [...text.matchAll(/^\| (`\w+`(?:, `\w+`)*) \|.*\|.*\|$/gm)].flatMap(
    ([, cell = ""]) => cell.match(/\w+/g) ?? [],
  );
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !listed.includes(name))).toEqual([]);
  const programs = examples.map(({ program }) => program).join();
  for (const operation of ["listPets", "createPet", "getPet", "pets", "getPetsByIds", "rateLimits"]) {
    expect(programs).toContain(`petstore.${operation}`);
  }
});
