import { beforeAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { states } from "../../../test/support/markdown.ts";
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
    // The README shows neither a real key nor the address of the service of this test.
    writeFileSync(
      file,
      program.replaceAll(`apiKey: "pets_live_…"`, `apiKey: "${secret}", baseUrl: "${service.url}/v1"`),
    );
    const env = { ...process.env, PETSTORE_API_KEY: secret, PETSTORE_BASE_URL: service.url };
    const args = ["--no-env-file", file];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: project, encoding: "utf8", env });
    expect(stdout + stderr).toBe(output.replaceAll("http://127.0.0.1:8080", service.url));
  },
);

/** The options in the table of a section. */
function optionsUnder(heading: string): string[] {
  const text = readFileSync(join(CLIENT, "README.md"), "utf8").split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const cells = [...text.matchAll(/^\| (`\w+`(?:, `\w+`)*) \|/gm)];
  return cells.flatMap(([, cell = ""]) => cell.match(/\w+/g) ?? []);
}

/** The options in the interfaces of these names. */
function optionsIn(names: string): string[] {
  const files = readdirSync(join(CLIENT, "src")).map((name) => readFileSync(join(CLIENT, "src", name), "utf8"));
  const interfaces = [...files.join("\n").matchAll(new RegExp(`^export interface (?:${names})\\b.*?^}`, "gms"))].join(
    "\n",
  );
  return [...interfaces.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name = ""]) => name);
}

test("the README has every option of the client and of calls, and an example of every operation", () => {
  states("client/README.md", "Every example is a complete program, followed by its output.");
  const options = optionsIn("PetstoreOptions");
  expect(options.length).toBeGreaterThan(10);
  expect(optionsUnder("All options").sort()).toEqual(options.sort());
  const callOptions = new Set(optionsIn("CallOptions|CreateOptions|ChangeOptions|CreatePetsOptions"));
  expect(callOptions.size).toBeGreaterThan(7);
  expect(optionsUnder("Options of a call").sort()).toEqual([...callOptions].sort());
  const programs = examples.map(({ program }) => program).join();
  const operations = [
    ...["listPets", "createPet", "createPets", "getPet", "pets", "pages", "getPetsByIds", "usage", "inventory"],
    ...["updatePet", "deletePet", "categories.put", "categories.create", "categories.delete", "categories.get"],
    ...["categories.list", "categories.all", "orders.place", "orders.approve", "orders.deliver"],
    ...["orders.list", "orders.all", "request"],
  ];
  for (const operation of operations) expect(programs).toContain(`petstore.${operation}(`);
  expect(programs).toContain("petstore.rateLimits");
});
