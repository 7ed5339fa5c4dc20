/** Each name that a document writes as code is one of the service, its settings, commands, files or of a program beside it. */
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { variables } from "../src/wiring/config.ts";
import { pages as all, codesIn, partsOf, ROOT, read, withoutBlocks } from "./support/markdown.ts";

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
