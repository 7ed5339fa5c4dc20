import { describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { operations } from "../../../../src/adapters/http/operations/index.ts";
import { BASE_URL } from "../../../support/client.ts";
import { states } from "../../../support/markdown.ts";
import { temporaryDirectory } from "../../../support/temporary.ts";
import { useService } from "../../../support/use-service.ts";

const service = useService();
/** A new one for each tool that runs the requests. */
const another = useService();
const LARGEST = "9223372036854775807";
const COLLECTION = "/docs/petstore.postman_collection.json";
const HTTP = "/docs/petstore.http";

type Execution = { response: { code: number } };
type BrunoItem = { name: string; request: { method: string; auth: { mode: string } } };

/** What the requests get of a new service, in order: the pet is removed before it is ordered, and no pet is in the category. */
const STATUSES = [
  ...[200, 201, 201, 200, 200, 204],
  ...[200, 201, 200, 200, 204],
  ...[200, 404, 404, 404],
  ...[200, 200, 200, 200, 403, 200],
];

const TOOLS = join(import.meta.dir, "../../../clients/libraries/node_modules");
const hasTools = existsSync(join(TOOLS, "newman"));
if (!hasTools)
  console.log("skipped: Postman's, Bruno's and httpyac's own, without `npm install --prefix test/clients/libraries`");

/** The text of a download, for this service and with the largest category in each body. */
async function downloaded(path: string, from = service): Promise<string> {
  const { text } = await from.anonymous().get(path);
  return text.replaceAll(BASE_URL, `${from.url}/v1`).replaceAll(/(categoryId\\*":)[12]\b/g, `$1${LARGEST}`);
}

async function run(cwd: string, program: string, ...args: string[]): Promise<string> {
  const command = [join(TOOLS, ".bin", program), ...args];
  const child = spawn("node", command, { cwd, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (bytes) => (output += bytes));
  await once(child, "close");
  return output;
}

test.each([COLLECTION, HTTP])(
  "%s has each operation once, the base address, and the key as a variable",
  async (path) => {
    states(
      "docs/call-it.md",
      "`/docs/petstore.postman_collection.json` | Postman, and Bruno, which imports collections of Postman",
      "`/docs/petstore.http` | the REST Client of Visual Studio Code, JetBrains, httpyac",
      "in Postman and Bruno in the collection or an environment, in editors in the environment of their HTTP client.",
    );
    states(
      "docs/call-it.md",
      "Two files of the service have all requests of the OpenAPI document, with this service's address. The overview of the reference, `/docs/reference`, links to them:",
      "Set the variable `key` to your API key:",
      "The files contain no key.",
    );
    const { status, headers, text } = await service.anonymous().get(path);
    expect(status).toBe(200);
    expect(headers.get("Content-Type")).toBe(path === HTTP ? "text/plain; charset=utf-8" : "application/json");
    expect(text).toContain(BASE_URL);
    expect(text).toContain("{{key}}");
    expect(text).not.toMatch(/pets_(live|stag)_/);
    for (const { summary } of operations)
      expect(
        text.split("\n").filter((line) => [`### ${summary}`, `"name": "${summary}",`].includes(line.trim())),
      ).toHaveLength(1);
    expect((await service.anonymous().get("/docs/reference")).text).toContain(`href="${path}"`);
  },
);

test("in the collection of Postman what a request need not have is switched off, and what it needs is on", async () => {
  type Field = { key: string; disabled?: boolean };
  type Item = { name: string; request: { header: Field[]; url: { query: Field[] } } };
  const { item } = JSON.parse((await service.anonymous().get(COLLECTION)).text);
  const { paths } = (await service.anonymous().get("/openapi.json")).body;
  const items: Item[] = item.flatMap((folder: { item: Item[] }) => folder.item);
  const described: { summary: string; parameters?: { name: string; in: string; required?: boolean }[] }[] =
    Object.values<object>(paths).flatMap((methods) => Object.values(methods));
  for (const { summary, parameters = [] } of described) {
    const request = items.find(({ name }) => name === summary)?.request;
    const sent = [...(request?.url.query ?? []), ...(request?.header ?? [])].filter(({ disabled }) => !disabled);
    // A key of its own for each creation costs nothing.
    const names = sent.map(({ key }) => key).filter((key) => key !== "Content-Type" && key !== "Idempotency-Key");
    expect([summary, names]).toEqual([
      summary,
      parameters.filter((one) => one.in !== "path" && one.required).map(({ name }) => name),
    ]);
  }
});

test("in the .http file what a request need not have is a comment", async () => {
  const requests = (await service.anonymous().get(HTTP)).text.split("### ").slice(1);
  const { paths } = (await service.anonymous().get("/openapi.json")).body;
  const described: { summary: string; parameters?: { name: string; required?: boolean }[] }[] = Object.values<object>(
    paths,
  ).flatMap((methods) => Object.values(methods));
  for (const { summary, parameters = [] } of described) {
    const names = parameters.filter((one) => !one.required).map(({ name }) => name);
    const lines = requests.find((request) => request.startsWith(`${summary}\n`))?.split("\n");
    expect([summary, lines?.filter((line) => line.startsWith("#"))]).toEqual([
      summary,
      names.length === 0 ? [] : [`# Optional: ${names.join(", ")}`],
    ]);
  }
});

test("in both files a body has the first media type that the document has for it, and no other request has one", async () => {
  type Item = { name: string; request: { header: { key: string; value: string }[] } };
  const { item } = JSON.parse((await service.anonymous().get(COLLECTION)).text);
  const items: Item[] = item.flatMap((folder: { item: Item[] }) => folder.item);
  const requests = (await service.anonymous().get(HTTP)).text.split("### ").slice(1);
  const { paths } = (await service.anonymous().get("/openapi.json")).body;
  const described = Object.values<Record<string, { summary: string; requestBody?: { content: object } }>>(paths);
  const types = described.flatMap((methods) =>
    Object.values(methods).map(({ summary, requestBody }) => {
      const [type] = Object.keys(requestBody?.content ?? {});
      const { header = [] } = items.find(({ name }) => name === summary)?.request ?? {};
      const inCollection = header.find(({ key }) => key === "Content-Type")?.value;
      const request = requests.find((one) => one.startsWith(`${summary}\n`)) ?? "";
      const inFile = /^Content-Type: (.+)$/m.exec(request)?.[1];
      expect({ summary, inCollection, inFile }).toEqual({ summary, inCollection: type, inFile: type });
      return type;
    }),
  );
  expect(new Set(types)).toEqual(new Set([undefined, "application/json", "application/merge-patch+json"]));
});

test("in both files each request has the method, the path and the body of its operation, and the key", async () => {
  type Url = { raw: string; path: string[]; variable: { key: string; value: string }[] };
  type Item = { name: string; request: { method: string; url: Url; header: { key: string; value: string }[] } };
  type Described = { summary: string; tags: string[]; parameters?: { name: string; in: string }[] };
  const { item, auth, variable } = JSON.parse((await service.anonymous().get(COLLECTION)).text);
  const { text } = await service.anonymous().get(HTTP);
  const { paths } = (await service.anonymous().get("/openapi.json")).body;
  expect([auth.type, auth.bearer[0]]).toEqual(["bearer", { key: "token", value: "{{key}}", type: "string" }]);
  expect(variable.map(({ key, value }: Record<string, string>) => [key, value])).toEqual([
    ["baseUrl", BASE_URL],
    ["key", ""],
  ]);
  expect(text.split("### ")[0]).toMatch(new RegExp(`^@baseUrl = ${BASE_URL}$`, "m"));
  const described = Object.entries<Record<string, Described>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({ ...one, path, method: method.toUpperCase() })),
  );
  for (const { summary, tags, path, method, parameters = [] } of described) {
    const folder = item.find(({ name }: { name: string }) => name === tags[0]);
    const { url, header, ...request }: Item["request"] = folder.item.find(({ name }: Item) => name === summary).request;
    const own = path.replaceAll(/\{(\w+)\}/g, ":$1");
    expect([request.method, url.raw, url.path]).toEqual([method, `{{baseUrl}}${own}`, own.split("/").slice(1)]);
    const ids = parameters.filter((one) => one.in === "path").map(({ name }) => name);
    expect(url.variable).toEqual(ids.map((key) => ({ key, value: "1" })));
    const hasKey = parameters.some(({ name }) => name === "Idempotency-Key");
    expect(header.find(({ key }) => key === "Idempotency-Key")?.value).toBe(hasKey ? "{{$guid}}" : undefined);
    const lines = text.split(`### ${summary}\n`)[1]?.split("\n\n###")[0]?.split("\n") ?? [];
    expect(lines.filter((line) => !/^(#|Content-Type:|$|[{[])/.test(line))).toEqual([
      `${method} {{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, "{{$1}}")}`,
      "Authorization: Bearer {{key}}",
    ]);
    for (const id of ids) expect(text).toContain(`\n@${id} = 1\n`);
  }
});

describe.skipIf(!hasTools)("with its own tool,", () => {
  test("the collection of Postman is valid, runs, and keeps each digit", async () => {
    states("docs/call-it.md", "Bodies are text, so that 64-bit integers keep their digits.");
    const { secret } = await service.createKey({ plan: "business" });
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "collection.json"), await downloaded(COLLECTION));
    const reporter = ["--reporters", "json", "--reporter-json-export", "report.json"];
    await run(directory, "newman", "run", "collection.json", "--env-var", `key=${secret}`, ...reporter);
    const { executions, failures } = JSON.parse(readFileSync(join(directory, "report.json"), "utf8")).run;
    expect(failures).toEqual([]);
    expect(executions.map(({ response }: Execution) => response.code)).toEqual(STATUSES);
    expect((await service.withSecret(secret).get("/v1/pets")).text).toContain(`"categoryId":${LARGEST}`);
  });

  test("Bruno imports the collection, with each request, the variable and the bodies as they are", async () => {
    states(
      "docs/call-it.md",
      "`/docs/petstore.postman_collection.json` | Postman, and Bruno, which imports collections of Postman",
    );
    const { postmanToBruno } = await import(join(TOOLS, "@usebruno/converters"));
    const text = await downloaded(COLLECTION);
    const { root, items } = (await postmanToBruno(JSON.parse(text))).collection;
    expect(root.request.auth).toMatchObject({ mode: "bearer", bearer: { token: "{{key}}" } });
    const requests = items.flatMap((folder: { items: BrunoItem[] }) => folder.items);
    expect(requests.map(({ name, request }: BrunoItem) => `${request.method} ${name}`)).toEqual(
      operations.map(({ method, summary }) => `${method.toUpperCase()} ${summary}`),
    );
    expect(requests.every(({ request }: BrunoItem) => request.auth.mode === "inherit")).toBeTrue();
    const added = requests.find(({ name }: BrunoItem) => name === "Add a pet");
    expect(added.request).toMatchObject({ url: "{{baseUrl}}/pets", body: { mode: "json" } });
    expect(added.request.body.json).toContain(`"categoryId":${LARGEST}`);
    const read = requests.find(({ name }: BrunoItem) => name === "Get one pet");
    expect(read.request).toMatchObject({ url: "{{baseUrl}}/pets/:petId", params: [{ name: "petId", type: "path" }] });
  });

  test("the .http file runs, and keeps each digit", async () => {
    const { secret } = await another.createKey({ plan: "business" });
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "petstore.http"), await downloaded(HTTP, another));
    const options = ["--all", "--json", "--output", "short", "--var", `key=${secret}`];
    const { requests } = JSON.parse(await run(directory, "httpyac", "send", "petstore.http", ...options));
    expect(requests.map(({ response }: { response: { statusCode: number } }) => response.statusCode)).toEqual(STATUSES);
    expect((await another.withSecret(secret).get("/v1/pets")).text).toContain(`"categoryId":${LARGEST}`);
  });
});
