/** Each name that a document writes as code is one of the service, its settings, commands, files or of a program beside it. */
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { petstoreCommand } from "../src/commands/petstore.ts";
import { variables } from "../src/wiring/config.ts";
import { openApi } from "./support/descriptions.ts";
import { pages as all, codesIn, documents, inOneLine, partsOf, ROOT, read, withoutBlocks } from "./support/markdown.ts";

/** Names of programs of others, of their settings, and of examples. */
const OF_OTHERS = `
  FLUSHALL HTTP_PROXY HTTPS_PROXY NO_PROXY NODE_EXTRA_CA_CERTS NODE_USE_ENV_PROXY ReadWritePaths SCRAM
  OTEL_EXPORTER_OTLP_CERTIFICATE OTEL_EXPORTER_OTLP_COMPRESSION OTEL_EXPORTER_OTLP_HEADERS OTEL_EXPORTER_OTLP_TIMEOUT
  OTEL_RESOURCE_ATTRIBUTES OTEL_SERVICE_NAME
  checkpoint_timeout default_pool_size max_client_conn mmap_size pg_authid pg_blocking_pids query_wait_timeout rolname
  rolpassword server_login_retry server_reset_query_always sslmode synchronous_commit synchronous_mode
  synchronous_standby_names pgbouncer userlist
  Application Developer FileHash TENANT Unblock accounts bashrc canceling company deps google lan microsoftonline non
  KeyInput msg organizations quarantine shasum sudo systemctl ttl uninstall vscode xattr claude_desktop_config
`;

const WORD = /[A-Za-z_$][\w$]*/g;
const wordsOf = (text: string): readonly string[] => text.match(WORD) ?? [];

const listed = spawnSync(
  "git",
  ["ls-files", "src", "client", "console/src", "deploy", "bin", "samples", "bench", ".github"],
  {
    cwd: ROOT,
    encoding: "utf8",
  },
);
const files = [...listed.stdout.trim().split("\n"), "package.json", ".env.example"].filter(
  (path) => !/\.(png|svg|ndjson|md)$|^client\/test/.test(path) && existsSync(join(ROOT, path)),
);
const sources = files.map(read).join("\n");
const known = new Set([...wordsOf(sources), ...files.flatMap(wordsOf), ...wordsOf(OF_OTHERS)]);

/** Pages about the programs of others, which have tests of their own. */
const OTHERS = /generated-clients|retry-libraries|performance/;
const pages = all.filter((path) => !OTHERS.test(path));

/** What a page has as code within its sentences, but the tests that it names, which have a test of their own. */
const namesOn = (page: string) => codesIn(withoutBlocks(read(page))).filter((code) => !code.startsWith("test/"));

test.each(pages)("%s names nothing that there is not", (page) => {
  const words = namesOn(page).flatMap(wordsOf);
  // So begin the key and the id that a reader has, and the cookie of a deployment.
  const unknown = words.filter(
    (word) => !known.has(word) && !/^(pets_(live|stag)_|petstore_session_|whe_$|BUN_JSC_$)/.test(word),
  );
  expect(unknown).toEqual([]);
});

test.each(pages)(
  "%s has the types of events, alerts and entries of the audit log as the service writes them",
  (page) => {
    const types = namesOn(page).flatMap(
      (code) => code.match(/(?<![\w.-])[a-z]+\.[a-z_]+(?:\.[a-z_]+)?(?![\w.(-])/g) ?? [],
    );
    const kinds = /^(pet|category|order|key|alert|webhook|session|operator|shop|retention|backup)\.(?!example)/;
    expect(types.filter((type) => kinds.test(type) && !sources.includes(`"${type}"`))).toEqual([]);
  },
);

/** What the changelog names of others and of names that begin so, and columns of files that were given to imports. */
const OF_CHANGES = /^(docs\/upgrading\.md|petstore_backup_…|pg_trgm|TimeoutNegativeWarning|name=%ff|Category_Id)$/;

test("CHANGELOG.md names nothing that there is not, and pages that there are", () => {
  const named = namesOn("CHANGELOG.md").filter((code) => !OF_CHANGES.test(code));
  const onPages = new Set(all.flatMap(namesOn).flatMap(wordsOf));
  const unknown = named.filter((code) => wordsOf(code).some((word) => !known.has(word) && !onPages.has(word)));
  expect(unknown).toEqual([]);
  const paths = namesOn("CHANGELOG.md").filter((code) => /^(docs|deploy|samples|client)\/[\w./-]+\.\w+$/.test(code));
  expect(paths.length).toBeGreaterThan(20);
  // This page was divided.
  expect(paths.filter((path) => path !== "docs/operations.md" && !inCheckout.includes(path))).toEqual([]);
});

test("CHANGELOG.md has with what was added only figures that a page has too", () => {
  const parts = read("CHANGELOG.md").split(/^(?=##+ )/m);
  const added = parts.filter((part) => part.startsWith("### Added")).join("\n");
  const ofPages = [...all, "ARCHITECTURE.md"].map((page) => inOneLine(read(page))).join("\n");
  const text = inOneLine(added).replaceAll(/"[^"]*"/g, "");
  // Each with the word before it, or the one after it; statuses and modes have a place in a sentence of their own.
  const figures = [...text.matchAll(/(?:\w+[,:]? \(?)?(?<![\w.`'–-])(\d[\d.,]*\d|\d)(?![\d-])(?: [\w%]+)?/g)].filter(
    ([words, figure = ""]) => words !== figure && !/^([345]\d\d|0[67]00|20\d\d)$/.test(figure),
  );
  const others = figures.filter(([words, figure = ""]) => {
    const [before, after] = words.split(figure);
    const isThere = (part: string) => part !== figure && ofPages.includes(part);
    return !/ by$/.test(words) && !isThere(`${before}${figure}`) && !isThere(`${figure}${after}`);
  });
  for (const [, name, value] of text.matchAll(/`(PETSTORE_\w+)`[^`.]*?, (\d+) by default/g))
    expect([name, variables.find((one) => one.name === name)?.default]).toEqual([name, value]);
  expect(figures.length).toBeGreaterThan(10);
  expect(others.map(([text]) => text)).toEqual([]);
});

/** Where a setting is named without a word of what it is for. */
const WITHOUT_SUBJECT = [
  "client/README.md PETSTORE_BASE_URL",
  "docs/mirror.md PETSTORE_BASE_URL",
  "docs/upgrading.md DATABASE_URL",
  "docs/reliability.md DATABASE_URL",
  "docs/monitoring.md PETSTORE_ADMIN_HOST",
  "docs/monitoring.md PETSTORE_ADMIN_HOSTS",
  "docs/administration.md PETSTORE_ADMIN_HOST",
  "docs/administration.md PETSTORE_ADMIN_HOSTS",
  "docs/administration.md PETSTORE_OIDC_ROLE_CLAIM",
  "docs/administration.md PETSTORE_OIDC_ADMINS",
  "docs/administration.md PETSTORE_OIDC_VIEWERS",
  "docs/data.md PETSTORE_CATEGORY_CHECK",
  "docs/backups.md PETSTORE_BACKUP_EVERY",
  "docs/scaling.md PETSTORE_REQUEST_HISTORY",
];

/** Words that the texts of many settings have. */
const COMMON =
  /^(PETSTORE|URL|ARG|separated|commas|service|default|without|address|addresses|requests|clients|before|values|number|operators)$/i;
/** The beginnings of the words in a text, so that "proxies" is "proxy". */
const stemsIn = (text: string, word: RegExp) =>
  (text.match(word) ?? []).filter((one) => !COMMON.test(one)).map((one) => one.toLowerCase().slice(0, 4));

test.each(pages)("%s names a setting beside a word of what it is for", (page) => {
  const alone = partsOf(withoutBlocks(read(page))).flatMap((part) => {
    const words = new Set(stemsIn(part.replaceAll(/\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/g, ""), /[A-Za-z]{3,}/g));
    return variables
      .filter(({ name }) => new RegExp(`\\b${name}\\b`).test(part))
      .filter(({ name, text = "" }) => {
        const subjects = [...stemsIn(name.replaceAll("_", " "), /[A-Z]+/g), ...stemsIn(text, /[A-Za-z]{6,}/g)];
        return !subjects.some((stem) => words.has(stem));
      })
      .map(({ name }) => `${page} ${name}`);
  });
  expect(alone.filter((one) => !WITHOUT_SUBJECT.includes(one))).toEqual([]);
});

test.each(pages)("%s writes a parameter of a header as the service does", (page) => {
  const parameters = namesOn(page).filter((code) => /^\w+="\w+"$/.test(code));
  expect(parameters.filter((one) => !sources.includes(one))).toEqual([]);
});

/** Paths of other programs and machines, of files that the service makes, and of examples. */
const OTHER_PLACES = /^\/(etc|proc|var|usr|data|pets\/|store\/|admin\/v1\/|v1\/|mcp|alerts$)/;

test.each(pages)("%s has the media types and the paths of the service", (page) => {
  const codes = namesOn(page);
  const types = codes.filter((code) => /^(application|text)\/[\w.+-]+$/.test(code));
  const paths = codes.filter((code) => /^\/[a-z][\w./-]*$/.test(code) && !OTHER_PLACES.test(code));
  expect([...types, ...paths].filter((one) => !new RegExp(`${RegExp.escape(one)}(?![\\w/+-])`).test(sources))).toEqual(
    [],
  );
});

/** Files of readers, and of other programs. */
const FILES_OF_OTHERS = `
  .env .vscode/mcp.json claude_desktop_config.json certificate.pem company.pem demo.log pets.json petstore.env petstore.exe
  etc/pgbouncer/pgbouncer.ini etc/pgbouncer/userlist.txt .github/workflows/test.yml
`.split(/\s+/);
const FILE =
  /(?:[\w…*.-]+\/)*[\w…*-]*(?:\.\w[\w-]*)*\.(?:atom|cfg|csv|db|env|exe|http|ids|ini|js|json|lock|md|ndjson|pem|py|rejected|requests|reserve|service|sh|sql|tgz|toml|ts|txt|yaml|yml)\b(?![\w.(-])/g;
const inCheckout = spawnSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" }).stdout.split("\n");

test.each(pages)("%s names files that are in the checkout, or that the service makes", (page) => {
  const named = namesOn(page).flatMap((code) => code.match(FILE) ?? []);
  const unknown = named.filter((file) => {
    const [base = ""] = /[^/]*$/.exec(file) ?? [];
    const inExample = base.replace(/^petstore-\d+\.\d+\.\d+-(windows-x64)/, "$1");
    // The service adds its endings to the name of a database, a command to that of the file that it reads.
    const [, ending] = /^(?:petstore\.db|pets\.csv|…\.db)(\.\w+)$/.exec(base) ?? [];
    const isMade = ending === undefined ? sources.includes(inExample) : sources.includes(`}${ending}\``);
    return !isMade && ![...inCheckout, ...FILES_OF_OTHERS].some((one) => one === file || one.endsWith(`/${base}`));
  });
  expect(unknown).toEqual([]);
});

type Part = Record<string, unknown>;

/** All parts of an OpenAPI document below one, with those that it refers to, but for examples. */
function partsBelow(document: Part, part: unknown, seen = new Set<unknown>()): Part[] {
  if (typeof part !== "object" || part === null || seen.has(part)) return [];
  seen.add(part);
  const its: Part = Object(part);
  const target = typeof its.$ref === "string" ? its.$ref.split("/").slice(1) : [];
  const referred = target.length === 0 ? undefined : target.reduce<unknown>((at, key) => Object(at)[key], document);
  const inside = Object.entries(its).filter(([key]) => !/^examples?$/.test(key));
  return [its, ...[referred, ...inside.map(([, value]) => value)].flatMap((one) => partsBelow(document, one, seen))];
}

/** The names that a part of an OpenAPI document gives: of fields, parameters, headers, media types, values and codes. */
const namesOf = ({ properties, headers, content, responses, enum: values, const: value, name, operationId }: Part) =>
  [
    ...[properties, headers, content, responses].flatMap((one) => Object.keys(Object(one))),
    ...Object.values(Object(content)).flatMap((one) => Object.keys(Object(Object(one).examples))),
    ...(Array.isArray(values) ? values : []),
    ...[value, name, operationId],
  ].map(String);

/** What the texts of an operation name beside its own fields: headers, scopes, forms of values, and other operations. */
const BESIDE = `
  If-Match If-None-Match Link Petstore-Count Petstore-Simulate Petstore-Simulated  q w r t a  ids[] ids[0]  pets/ categories/ orders/ keys/
  deprecation successor-version delay=<ms> delay=2000 disconnect lost-answer now=<time> handling=strict count=exact order=desc
  replace=true replaceStatus=true other unknown observed null true alert. webhook.test https:// Rex* * \\* / =1+1 "v4"
`.split(/\s+/);
const SENTENCES =
  /^(A-Z a-z 0-9 . _ -|rel="next"|<absolute URL>; rel="next"|(Prefer|Accept|If-None-Match): .*|GET \/.*|command line \(user\)|first start|petstore (serve|database restore))$/;
/** What an import reports, line by line, which no schema describes. */
const OF_IMPORTS =
  /^(name|categoryId|rejections|line|error|lastLine|import|changed|statusKept|"done":(true|false)|\{"imported".*\})$/;

test.each(Object.entries<Part>(openApi))(
  "the OpenAPI document for %s names with each operation what the operation has",
  (_, document) => {
    const operations = Object.values(Object(document.paths)).flatMap((methods) => Object.values(Object(methods)));
    const unknown = operations.flatMap((operation) => {
      const parts = partsBelow(document, operation);
      const texts = parts.map(({ description, summary }) => [description, summary].join(" "));
      const others = texts.flatMap((text) => [...text.matchAll(/`GET (\/\w+)`/g)].map(([, path = ""]) => path));
      const read = others.map((path) => Object(Object(document.paths)[path]).get);
      const known = [...parts, ...partsBelow(document, read)].flatMap(namesOf).concat(BESIDE);
      const { operationId } = Object(operation);
      return texts
        .flatMap(codesIn)
        .filter((code) => !known.includes(code) && !SENTENCES.test(code) && !/^[a-z]+:(read|write|rotate)$/.test(code))
        .filter((code) => !(/^import|^resetStaging$/.test(operationId) && OF_IMPORTS.test(code)))
        .map((code) => `${operationId}: ${code}`);
    });
    expect([...new Set(unknown)]).toEqual([]);
  },
);

const own = new Set<string>();
/** Adds the options of a command and of those below it. */
function addOptions({ options, commands }: Command): void {
  for (const { long } of options) if (long) own.add(long);
  for (const command of commands) addOptions(command);
}
for (const command of (await petstoreCommand()).commands) addOptions(await petstoreCommand(command.name()));

/** Options of other programs: of npx, curl, Deno, an inspector, and generators. */
const OPTIONS_OF_OTHERS =
  /^--(help|no|retry|cli|cert|allow-net|allow-env|model-name-mappings|default-non-nullable|additional-properties)$/;
const PROGRAMS = /\b(npm|npx bun|docker|codesign|shasum|openssl|ssh|up --build)\b/;

test.each(pages)("%s names options that a command has", (page) => {
  const codes = namesOn(page).filter((code) => !PROGRAMS.test(code));
  const options = codes.flatMap((code) => code.match(/(?<!\S)--[a-z][\w-]*/g) ?? []);
  expect(options.filter((option) => !own.has(option) && !OPTIONS_OF_OTHERS.test(option))).toEqual([]);
});

const parameters = new Set(
  Object.values<Part>(openApi).flatMap((document) =>
    partsBelow(document, document.paths)
      .filter(({ in: place }) => place === "query")
      .map(({ name }) => String(name)),
  ),
);
/** Values of headers, and assignments of other programs. */
const ASSIGNED = /^(rel|wait|handling|delay|now|sslmode|synchronous|enabled|sep|go)$/;

test.each(pages)("%s gives values to parameters that an operation has", (page) => {
  const given = namesOn(page).flatMap((code) => [...code.matchAll(/(?<![\w;"-])([a-z]\w*)(?:\[\d*\])?=(?!=)/g)]);
  expect(given.map(([, name = ""]) => name).filter((name) => !parameters.has(name) && !ASSIGNED.test(name))).toEqual(
    [],
  );
});

const ofStaging: Part = openApi.clients;
const headers = new Set([
  // Of HTTP itself.
  ...["Authorization", "Content-Type", "Accept", "Origin"],
  ...partsBelow(ofStaging, ofStaging).flatMap(({ in: place, name, headers: own }) => [
    ...(place === "header" ? [String(name)] : []),
    ...Object.keys(Object(own)),
  ]),
]);

// The service ignores what it does not know: a command or program with a misspelled name still works.
test.each(documents)("%s shows no request with a parameter or header that the operation does not have", (page) => {
  const blocks = [...read(page).matchAll(/^ *```(?!text|http)\w+\n([\s\S]*?)^ *```$/gm)]
    .map(([, block = ""]) => block)
    .join("\n");
  const wrong = [...blocks.matchAll(/\/v1(\/[a-z/]+)\?([^"'`\s>\\)]+)/g)].flatMap(([, path = "", query = ""]) => {
    const { get } = Object(Object(ofStaging.paths)[path]);
    const known = partsBelow(ofStaging, get?.parameters).map(({ name }) => name);
    const names = query.split("&").map((one) => one.replace(/(\[.*\])?=.*/, ""));
    return names.filter((name) => !known.includes(name)).map((name) => `${path}?${name}`);
  });
  // There it stands for what is not known.
  expect(wrong).toEqual(page === "docs/interface.md" ? ["/pets?state"] : []);
  const named = [...blocks.matchAll(/-H "([\w-]+):|"([A-Z][a-z]*(?:-[A-Z][A-Za-z]+)+)"/g)].map(
    ([, one, other]) => one ?? other ?? "",
  );
  expect(named.filter((name) => !headers.has(name))).toEqual([]);
});

/** The fields of an object, and of the items of a list, by their names with those above them: `kept.share`. */
function fieldsIn(document: Part, schema: unknown, depth = 4): string[] {
  const { $ref, properties, items, anyOf = [], oneOf = [], allOf = [] } = Object(schema);
  if (depth === 0) return [];
  const own = Object.entries(Object(properties)).flatMap(([name, field]) => [
    name,
    ...fieldsIn(document, field, depth - 1).map((inner) => `${name}.${inner}`),
  ]);
  const referred =
    typeof $ref === "string" ? Object(document.components).schemas[$ref.split("/").at(-1) ?? ""] : undefined;
  const others = [referred, items, ...anyOf, ...oneOf, ...allOf].filter((one) => one !== undefined);
  return [...own, ...others.flatMap((one) => fieldsIn(document, one, depth))];
}

test.each(documents)("%s names fields and parameters of calls that they have", (page) => {
  const named = withoutBlocks(read(page)).matchAll(
    /`([\w.]+)` (?:of|in) `([A-Z]+) (\/(?:admin\/)?v1\/|\/)([^`\s?]+)`/g,
  );
  const wrong = [...named].filter(([, name = "", method = "", base = "", path = ""]) => {
    const document: Part = base === "/admin/v1/" ? openApi.operators : openApi.clients;
    const operation = Object(Object(Object(document.paths)[`/${path}`])[method.toLowerCase()]);
    const parameters = partsBelow(document, operation.parameters).map((one) => one.name);
    const bodies = [operation.requestBody, ...Object.values(Object(operation.responses))];
    const schemas = bodies.flatMap((body) =>
      Object.values(Object(Object(body).content)).map((one) => Object(one).schema),
    );
    return ![...parameters, ...schemas.flatMap((schema) => fieldsIn(document, schema))].includes(name);
  });
  expect(wrong.map(([text]) => text)).toEqual([]);
});

/** Whether a part of a document, or what it refers to, allows null. */
function allowsNull(document: Part, part: Part): boolean {
  const [target] = typeof part.$ref === "string" ? partsBelow(document, part).slice(1) : [];
  const types = [part.type, part.enum].flat();
  const choices = [part.anyOf, part.oneOf].flat().filter((one) => one !== undefined);
  if ([part.type, part.$ref, part.anyOf, part.oneOf, part.enum].every((one) => one === undefined)) return true;
  return (
    types.some((one) => one === "null" || one === null) ||
    // Percentiles, of which each is null.
    Object.values(Object(part.properties)).some((one) => allowsNull(document, Object(one))) ||
    choices.some((one) => allowsNull(document, Object(one))) ||
    (target !== undefined && target !== part && allowsNull(document, target))
  );
}

test.each(Object.entries<Part>(openApi))(
  "the OpenAPI document for %s says of a field that it is null where it may be",
  (_, document) => {
    const fields = partsBelow(document, document.components).flatMap(({ properties }) =>
      Object.entries(Object(properties)),
    );
    expect(fields.length).toBeGreaterThan(50);
    const wrong = fields.filter(([, field]) => {
      const text = String(Object(field).description ?? "");
      const isNull = allowsNull(document, Object(field));
      const [, otherwise] = /; (\w+) (?:if|without|until|where|on|once)\b/.exec(text) ?? [];
      return (/\bnull\b/i.test(text) && !isNull) || (isNull && otherwise !== undefined && otherwise !== "null");
    });
    expect(wrong.map(([name, field]) => `${name}: ${Object(field).description}`)).toEqual([]);
  },
);

test.each(documents.filter((page) => page !== "CHANGELOG.md"))("%s names what a file has beside the file", (page) => {
  const named = [
    ...read(page)
      .replaceAll(/\s+/g, " ")
      .matchAll(/`(\w+)` in\s`((?:src|test|client|console|bench|bin|deploy)\/[\w./-]+\.\w+)`/g),
  ];
  expect(named.filter(([, name = "", file = ""]) => !wordsOf(read(file)).includes(name)).map(([text]) => text)).toEqual(
    [],
  );
});

test("docs/console.md names the buttons, menus and words that the console shows", () => {
  const shown = files
    .filter((path) => path.startsWith("console/src/"))
    .map(read)
    .join("\n");
  const labels = namesOn("docs/console.md").filter((code) => /^[A-Z][a-z]+( [a-z]+)*$/.test(code));
  expect(labels.length).toBeGreaterThan(3);
  // A label of a button, not the title of a column that nobody sees.
  const isShown = (label: string) => new RegExp(`(?<!title: )["\`>]${label}["\`<]|>\\s*${label}\\s*<`).test(shown);
  expect(labels.filter((label) => !isShown(label))).toEqual([]);
});
