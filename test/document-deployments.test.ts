/** The commands of Docker, Helm, kubectl and systemd in documents fit the deployment files. */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { readConfig, variables } from "../src/wiring/config.ts";
import { codesIn, documents, pageInOneLine, ROOT, read, says, tableOf } from "./support/markdown.ts";

/** The lines of blocks for a shell, each with what its backslashes continue, and the code within sentences. */
const commands = documents
  .filter((page) => !/^CHANGELOG/.test(page))
  .flatMap((page) => {
    const text = read(page);
    const blocks = [...text.matchAll(/^ *```(?:sh|console)\n([\s\S]*?)^ *```$/gm)].map(([, block = ""]) => block);
    const lines = blocks.flatMap((block) => block.replaceAll(/\\\n\s*/g, "").split("\n"));
    return [...lines, ...codesIn(text.replaceAll(/^ *```[\s\S]*?^ *```/gm, "").replaceAll(/\s+/g, " "))].map(
      (line) => ({
        page,
        line: line.trim().replace(/^\$ |^sudo /, ""),
      }),
    );
  });
const of = (program: RegExp) => commands.filter(({ line }) => program.test(line)).map(({ line }) => line);
const valuesOf = (line: string, option: string) =>
  [...line.matchAll(new RegExp(`--${option}[ =](\\S+)`, "g"))].map(([, value = ""]) => value);
const { version } = JSON.parse(read("package.json"));
const production = readConfig({});

describe("Docker Compose", () => {
  type Compose = { services: Record<string, object> };
  const servicesOf = (file: string) => Object.keys((parse(read(file)) as Compose).services);
  const lines = of(/^docker compose /);

  test.each(lines)("%s", (line) => {
    const [file = ""] = valuesOf(line, "file");
    expect([file, existsSync(join(ROOT, file))]).toEqual([file, true]);
    const [, command = "", rest = ""] = /--file \S+ (\w+) ?(.*)$/.exec(line) ?? [];
    expect(["up", "logs", "restart"]).toContain(command);
    const [options = [], services = []] = [/^--/, /^[^-]/].map((form) =>
      rest.split(" ").filter((word) => form.test(word)),
    );
    expect(options).toEqual(command === "up" ? ["--build", "--detach"] : []);
    expect(services.filter((service) => !servicesOf(file).includes(service))).toEqual([]);
    if (command === "logs") {
      const nodes = servicesOf(file).filter((name) => /^(production|staging|petstore)/.test(name));
      expect(services.toSorted()).toEqual(nodes.toSorted());
    }
  });

  test("replaces one node alone, without what it needs", () => {
    const [line = "", ...others] = of(/^up .*--no-deps/);
    expect(others).toEqual([]);
    expect(line).toMatch(/^up --build --detach --no-deps (\S+)$/);
    expect(servicesOf("deploy/compose.yaml")).toContain(line.split(" ").at(-1) ?? "");
  });

  test("reads each variable that the documents write into deploy/.env", () => {
    const text = read("docs/deploy.md");
    const [, one = ""] = /echo (\w+)=\S+ > deploy\/\.env/.exec(text) ?? [];
    const [, several = ""] = /cat > deploy\/\.env <<END\n([\s\S]*?)END/.exec(text) ?? [];
    const names = [...several.matchAll(/^(\w+)=/gm)].map(([, name = ""]) => name);
    const required = (file: string) => [
      ...new Set([...read(file).matchAll(/\$\{(\w+):\?/g)].map(([, name = ""]) => name)),
    ];
    expect([one]).toEqual(required("deploy/compose.small.yaml"));
    expect(names.toSorted()).toEqual(required("deploy/compose.yaml").toSorted());
    // A certificate comes before its key.
    expect(text).toContain("cat certificate.pem key.pem > deploy/certificate.pem");
  });
});

test("Docker builds and runs the image as the Containerfile has it", () => {
  const containerfile = read("deploy/Containerfile");
  const [build = "", ...others] = of(/^docker build /);
  expect(others).toEqual([]);
  expect(valuesOf(build, "file")).toEqual(["deploy/Containerfile"]);
  const [tag] = valuesOf(build, "tag");
  expect(tag).toBe(`petstore:${version}`);
  const [run = ""] = of(/^docker run /);
  expect(run).toEndWith(` ${tag}`);
  const [, volume] = /^VOLUME (\S+)/m.exec(containerfile) ?? [];
  expect(valuesOf(run, "volume").map((one) => one.split(":")[1])).toEqual([String(volume)]);
  const ports = [production.port, production.admin?.port].map((port) => `127.0.0.1:${port}:${port}`);
  expect(valuesOf(run, "publish")).toEqual(ports);
  expect(containerfile).toMatch(new RegExp(`^EXPOSE ${production.port}$`, "m"));
  expect(valuesOf(run, "env")).toEqual(["PETSTORE_ADMIN_HOST=0.0.0.0"]);
  expect(run).toMatch(/ --read-only .*--cap-drop ALL /);
  const [name] = valuesOf(run, "name");
  const inside = of(/^docker (logs|exec) /);
  expect(inside.length).toBeGreaterThan(1);
  for (const line of inside) expect(line).toMatch(new RegExp(`^docker (logs|exec) ${name}( petstore .*)?$`));
});

describe("Helm", () => {
  const chart = "deploy/helm/petstore";
  const values: Record<string, unknown> = parse(read(`${chart}/values.yaml`));
  const schema = JSON.parse(read(`${chart}/values.schema.json`));
  const lines = of(/^helm install \S/);

  test.each(lines)("%s", (line) => {
    const [, release = "", path] = /^helm install (\S+) (\S+)/.exec(line) ?? [];
    expect(path).toBe(chart);
    const set = new Map(
      valuesOf(line, "set").map((one): [string, string] => [one.split("=")[0] ?? "", one.split("=")[1] ?? ""]),
    );
    for (const [name, value] of set) {
      const parts = name.split(".");
      const known = parts.reduce<unknown>((at, part) => Object(at)[part], values);
      expect([name, known !== undefined]).toEqual([name, true]);
      const { enum: allowed } = Object(
        parts.reduce<unknown>((at, part) => Object(Object(at).properties)[part], schema),
      );
      if (allowed !== undefined) expect([name, allowed.includes(value)]).toEqual([name, true]);
    }
    const other = set.get("deployment") === "staging";
    expect(release).toBe(other ? "petstore-staging" : "petstore");
    // Two releases share neither a store nor a certificate.
    const own = ["existingSecret", "ingress.tlsSecret"].map((name) => set.get(name));
    expect(own).toEqual(other ? ["petstore-staging", "petstore-staging-tls"] : [undefined, undefined]);
    expect([set.get("baseUrl"), set.get("stagingBaseUrl")]).toEqual([
      "https://api.example.com/v1",
      "https://staging.example.com/v1",
    ]);
  });

  test("finds the secret that kubectl creates, with the addresses that nodes need", () => {
    expect(lines.length).toBeGreaterThan(2);
    const [create = ""] = of(/^kubectl create secret generic /);
    expect(create).toStartWith(`kubectl create secret generic ${values.existingSecret} `);
    const names = valuesOf(create, "from-literal").map((one) => one.split("=")[0]);
    expect(names).toEqual(["DATABASE_URL", "REDIS_URL"]);
    for (const one of valuesOf(create, "from-literal"))
      expect(one).toMatch(/^(DATABASE_URL=postgres|REDIS_URL=redis):/);
  });
});

test("kubectl applies folders with a kustomization, and staging is in its namespace", () => {
  const folders = of(/^kubectl apply --kustomize /).map((line) => line.split(" ").at(-1) ?? "");
  expect(folders.length).toBeGreaterThan(1);
  for (const folder of folders)
    expect([folder, existsSync(join(ROOT, folder, "kustomization.yaml"))]).toEqual([folder, true]);
  const { namespace } = parse(read("deploy/kubernetes-staging/kustomization.yaml"));
  expect(read("docs/deploy.md")).toContain(`in the namespace \`${namespace}\``);
});

test("systemctl names the unit, or a second one for staging", () => {
  const lines = of(/^systemctl /);
  expect(lines.length).toBeGreaterThan(4);
  for (const line of lines)
    expect(line).toMatch(/^systemctl (daemon-reload|(edit|restart|enable --now) petstore(-staging)?)$/);
  expect(existsSync(join(ROOT, "deploy/petstore.service"))).toBe(true);
});

test("the settings of agents' programs in docs/agents.md refer to what they define", () => {
  const blocks = [...read("docs/agents.md").matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, json = ""]) =>
    JSON.parse(json),
  );
  const [code, desktop] = blocks;
  const { inputs, servers } = code;
  const key = servers.petstore.headers.Authorization;
  expect(key).toBe(`Bearer \${input:${inputs[0].id}}`);
  expect(inputs[0]).toMatchObject({ type: "promptString", password: true });
  const { args, env, command } = desktop.mcpServers.petstore;
  expect([command, args[0], args.at(-2)]).toEqual(["npx", "mcp-remote", "--header"]);
  expect(args.at(-1)).toBe(`Authorization:\${${Object.keys(env)[0]}}`);
  expect(Object.values(env)).toEqual(["Bearer KEY"]);
  const address = `http://${production.host}:${production.port}/mcp`;
  expect([servers.petstore.url, servers.petstore.type, args[1]]).toEqual([address, "http", address]);
  for (const line of of(/^(claude mcp add|npx @modelcontextprotocol\/inspector) /)) {
    expect(line).toContain(`${address} `);
    expect(line).toContain('--header "Authorization: Bearer $KEY"');
    expect(line).toContain("--transport http");
  }
});

test("docs/administration.md has of each provider the claim and the values that the settings have", () => {
  const rows = new Map(
    tableOf(read("docs/administration.md"), "Provider", "Issuer", "Roles").map(
      ([name = "", issuer = "", roles = ""]) => [name, { issuer, roles }],
    ),
  );
  const defaults = new Map(variables.map(({ name, default: value }) => [name, value]));
  const given = (name: string) => `\`${defaults.get(name)}\``;
  expect([...rows.keys()]).toEqual(["Keycloak", "Microsoft Entra ID", "Google"]);
  const page = pageInOneLine("docs/administration.md");
  says(page, `a text or a list of texts, by default ${given("PETSTORE_OIDC_ROLE_CLAIM")}.`);
  says(page, `by default ${given("PETSTORE_OIDC_ADMINS")} and ${given("PETSTORE_OIDC_VIEWERS")}. Who has both`);
  says(page, `The scopes that the service asks for, by default ${given("PETSTORE_OIDC_SCOPE")}.`);
  const { roles: ofKeycloak = "" } = rows.get("Keycloak") ?? {};
  expect(ofKeycloak).toStartWith(`Realm roles ${given("PETSTORE_OIDC_ADMINS")} and ${given("PETSTORE_OIDC_VIEWERS")}`);
  for (const name of ["Keycloak", "Microsoft Entra ID"])
    expect(rows.get(name)?.roles).toContain(given("PETSTORE_OIDC_ROLE_CLAIM"));
  for (const { issuer } of rows.values()) {
    const [address = ""] = codesIn(issuer);
    const settings = { PETSTORE_OIDC_ISSUER: address, PETSTORE_OIDC_CLIENT_ID: "petstore" };
    expect(() => readConfig(settings)).not.toThrow();
  }
  expect(rows.get("Microsoft Entra ID")?.issuer).toStartWith("`https://login.microsoftonline.com/TENANT/v2.0`");
  expect(codesIn(rows.get("Google")?.roles ?? "")).toEqual([
    "PETSTORE_OIDC_ROLE_CLAIM=email",
    "PETSTORE_OIDC_ADMINS",
    "PETSTORE_OIDC_VIEWERS",
  ]);
  expect(rows.get("Google")?.issuer).toBe("`https://accounts.google.com`");
});
