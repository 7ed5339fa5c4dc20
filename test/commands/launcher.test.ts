import { describe, expect, test } from "bun:test";
import { asRun, commandOf, isUnit, publicProgramOf, type Started } from "../../src/commands/program.ts";
import { deployments } from "../../src/domain/deployment.ts";
import { variables } from "../../src/wiring/config.ts";
import { defaultAdminPorts, defaultPorts } from "../../src/wiring/config-schemas.ts";
import { states } from "../support/markdown.ts";

const IMAGE = ["/usr/local/bin/petstore"];
const CHECKOUT = ["/opt/bun", "--no-env-file", "/srv/petstore/src/main.ts"];
const PACKAGE = ["/opt/bun", "/srv/shop/node_modules/@petstore/server/dist/main.js"];
const GLOBAL = ["/opt/bun", "/usr/lib/node_modules/@petstore/server/dist/main.js"];
const NPX = ["/opt/bun", "/root/.npm/_npx/1a2b/node_modules/@petstore/server/dist/main.js"];
const EXECUTABLE = ["/home/ada/petstore-1.0.0-linux-x64"];
const DOCKER = ["/.dockerenv"];
const STAGING = { PETSTORE_DEPLOYMENT: "staging" };

type How = {
  /** What exists: a path, or a link as a pair. */
  files?: (string | readonly [path: string, target: string])[];
  /** The environment that it was started in, which includes the PATH. */
  inherited?: Record<string, string>;
  /** What options of the command line have set. */
  options?: Record<string, string>;
  directory?: string;
};

function started(
  program: string[],
  { files = [], inherited = {}, options = {}, directory = "/home/ada" }: How = {},
): Started {
  const targets = new Map(files.map((file) => (typeof file === "string" ? [file, file] : file)));
  return {
    program,
    inherited: { PATH: "/srv/shop/node_modules/.bin:/usr/local/bin:/usr/bin", ...inherited },
    environment: { ...inherited, ...options },
    host: "3f2a9c",
    directory,
    fileAt: (path) => targets.get(path),
  };
}

/** What is printed for a command on keys. */
const keys = (program: string[], how?: How) => commandOf(started(program, how), "keys");
/** The same without the default database of the directory, which it begins with. */
const keysHere = (program: string[], { directory = "/home/ada", ...how }: How = {}) => {
  const database = `DATABASE_URL=sqlite:${directory}/data/petstore.db `;
  const printed = keys(program, { ...how, directory });
  return printed.startsWith(database) ? printed.slice(database.length) : `${printed}, without ${database}`;
};

describe("a command is printed as this program was started", () => {
  const installed = ["/usr/bin/petstore", "/usr/lib/node_modules/@petstore/server/bin/petstore.js"] as const;
  const local = [
    "/srv/shop/node_modules/.bin/petstore",
    "/srv/shop/node_modules/@petstore/server/bin/petstore.js",
  ] as const;

  test.each<[string, string, string]>([
    ["a checkout", keysHere(CHECKOUT, { files: DOCKER }), "npx --no petstore keys"],
    [
      "a package of a project",
      keysHere(PACKAGE, { files: [local, local[1]], directory: "/srv/shop/src" }),
      "npx --no petstore keys",
    ],
    [
      "a package beside a global one",
      keysHere(PACKAGE, { files: [installed, local, local[1]], directory: "/srv/shop" }),
      "npx --no petstore keys",
    ],
    [
      "a checkout beside the directory",
      keysHere(CHECKOUT, { files: ["/srv/petstore/bin/petstore.js"] }),
      "node /srv/petstore/bin/petstore.js keys",
    ],
    [
      "a checkout around the directory",
      keysHere(CHECKOUT, { files: ["/srv/petstore/bin/petstore.js"], directory: "/srv/petstore/docs" }),
      "npx --no petstore keys",
    ],
    ...["package.json", "node_modules"].map((name): [string, string, string] => [
      `a checkout around a directory with ${name}`,
      keysHere(CHECKOUT, {
        files: ["/srv/petstore/bin/petstore.js", `/srv/petstore/client/${name}`],
        directory: "/srv/petstore/client/src",
      }),
      "node /srv/petstore/bin/petstore.js keys",
    ]),
    [
      "a checkout around another package",
      keysHere(CHECKOUT, {
        files: ["/srv/petstore/bin/petstore.js", "/srv/petstore/app/node_modules/.bin/petstore"],
        directory: "/srv/petstore/app",
      }),
      "node /srv/petstore/bin/petstore.js keys",
    ],
    [
      "a package around the directory",
      keysHere(PACKAGE, { files: [["/home/node_modules/.bin/petstore", local[1]], local[1]] }),
      "npx --no petstore keys",
    ],
    ["a global package", keysHere(GLOBAL, { files: [installed, installed[1]] }), "petstore keys"],
    ["a package that npx fetched", keysHere(NPX), "npx @petstore/server keys"],
    ["an executable on the PATH", keysHere(["/usr/bin/petstore"], { files: ["/usr/bin/petstore"] }), "petstore keys"],
    [
      "an executable that a link on the PATH names",
      keysHere(["/opt/petstore-1.0.0"], {
        files: [["/usr/bin/petstore", "/opt/petstore-1.0.0"], "/opt/petstore-1.0.0"],
      }),
      "petstore keys",
    ],
    ["an executable in this directory", keysHere(EXECUTABLE), "/home/ada/petstore-1.0.0-linux-x64 keys"],
    ["an executable elsewhere", keysHere(["/opt/my tools/petstore"]), "'/opt/my tools/petstore' keys"],
    [
      "an executable beside another",
      keysHere(["/opt/petstore"], { files: ["/usr/bin/petstore"] }),
      "/opt/petstore keys",
    ],
    [
      "an executable behind another on the PATH",
      keysHere(["/usr/bin/petstore"], { files: ["/usr/local/bin/petstore", "/usr/bin/petstore"] }),
      "/usr/bin/petstore keys",
    ],
    [
      "a global package behind an executable on the PATH",
      keysHere(GLOBAL, { files: ["/usr/local/bin/petstore", installed, installed[1]] }),
      "node /usr/lib/node_modules/@petstore/server/bin/petstore.js keys",
    ],
    ["a container of Docker", keys(IMAGE, { files: DOCKER }), "docker exec 3f2a9c petstore keys"],
    [
      "a container of Podman",
      keys(IMAGE, { files: [...DOCKER, "/run/.containerenv"] }),
      "podman exec 3f2a9c petstore keys",
    ],
    [
      "a unit beside Docker",
      keysHere(IMAGE, { files: [...DOCKER, ...IMAGE], inherited: { SYSTEMD_EXEC_PID: "7" } }),
      "petstore keys",
    ],
    [
      "a pod",
      keys(IMAGE, { inherited: { KUBERNETES_SERVICE_HOST: "10.0.0.1", ...STAGING } }),
      "kubectl exec 3f2a9c -- petstore keys",
    ],
    [
      "a pod, to whose commands nothing is passed on",
      keys(IMAGE, { inherited: { KUBERNETES_SERVICE_HOST: "10.0.0.1" }, options: { DATABASE_URL: "sqlite:/b.db" } }),
      "kubectl exec 3f2a9c -- petstore keys",
    ],
  ])("%s", (_, printed, expected) => {
    expect(printed).toBe(expected);
  });
});

describe("a command is printed with the settings that it needs", () => {
  const of = (settings: Record<string, string>, name = "keys") =>
    commandOf(started(CHECKOUT, { inherited: settings }), name).replace(` npx --no petstore ${name}`, "");
  const PRODUCTION_DATA = "DATABASE_URL=sqlite:/home/ada/data/petstore.db";
  const STAGING_DATA = "PETSTORE_DEPLOYMENT=staging DATABASE_URL=sqlite:/home/ada/data/petstore-staging.db";

  test.each<[string, string, string]>([
    ["production", of({}), PRODUCTION_DATA],
    ["production with its defaults", of({ PETSTORE_DEPLOYMENT: "production", DATABASE_URL: " " }), PRODUCTION_DATA],
    ["staging", of(STAGING), STAGING_DATA],
    ["a default of staging", of({ ...STAGING, DATABASE_URL: "sqlite:data/petstore-staging.db" }), STAGING_DATA],
    [
      "production's default on staging",
      of({ ...STAGING, PORT: "8080" }, "health"),
      "PETSTORE_DEPLOYMENT=staging PORT=8080",
    ],
    ["a database, by its absolute path", of({ DATABASE_URL: "sqlite:a.db" }), "DATABASE_URL=sqlite:/home/ada/a.db"],
    [
      "a path with a blank",
      of({ DATABASE_URL: "sqlite:/my pets/a'b.db" }),
      "DATABASE_URL='sqlite:/my pets/a'\\''b.db'",
    ],
    [
      "a server, without its password",
      of({ DATABASE_URL: "postgres://ada:s%40cret@db-1:5432,db-2:5432/pets?sslmode=verify-full" }),
      "DATABASE_URL='postgres://ada:PASSWORD@db-1:5432,db-2:5432/pets?sslmode=verify-full'",
    ],
    [
      "a server with the password in its query",
      of({ DATABASE_URL: "postgres://db/pets?user=ada&password=secret&application_name=a" }),
      "DATABASE_URL='postgres://db/pets?user=ada&password=PASSWORD&application_name=a'",
    ],
    ["the port, for what needs it", of({ PORT: "9000", HOST: "0.0.0.0" }, "health"), "HOST=0.0.0.0 PORT=9000"],
    ...["keys create", "keys rotate"].map((words): [string, string, string] => [
      `the address, for ${words}`,
      of({ PORT: "9000", HOST: "::1", PETSTORE_BASE_URL: "https://pets.example/v1" }, words),
      `${PRODUCTION_DATA} HOST=::1 PORT=9000 PETSTORE_BASE_URL=https://pets.example/v1`,
    ]),
    [
      "the address of staging",
      of({ ...STAGING, PORT: "8090", PETSTORE_STAGING_BASE_URL: "https://s.example/v1" }, "keys create"),
      `${STAGING_DATA} PETSTORE_STAGING_BASE_URL=https://s.example/v1`,
    ],
    [
      "the address, for the document",
      of({ ...STAGING, DATABASE_URL: "sqlite:/a.db", PORT: "9000" }, "openapi"),
      "PETSTORE_DEPLOYMENT=staging PORT=9000",
    ],
    [
      "where limits are counted",
      of({ REDIS_URL: "redis://:secret@cache:6379" }, "keys list"),
      `${PRODUCTION_DATA} REDIS_URL=redis://:PASSWORD@cache:6379`,
    ],
    [
      "where backups are, by the absolute path",
      of({ PETSTORE_BACKUP_DIR: "copies" }, "database restore"),
      `${PRODUCTION_DATA} PETSTORE_BACKUP_DIR=/home/ada/copies`,
    ],
    [
      "what an import checks",
      of({ PETSTORE_CATEGORY_CHECK: "on" }, "pets import"),
      `${PRODUCTION_DATA} PETSTORE_CATEGORY_CHECK=on`,
    ],
    [
      "all that a start needs",
      of({ ...STAGING, DATABASE_URL: "sqlite:/a.db", PORT: "9000", PETSTORE_ADMIN_PORT: "off" }, "serve"),
      "PETSTORE_DEPLOYMENT=staging DATABASE_URL=sqlite:/a.db PORT=9000 PETSTORE_ADMIN_PORT=off",
    ],
  ])("%s", (_, printed, expected) => {
    states("docs/commands.md", "A password is left out.");
    expect(printed).toBe(expected);
  });

  const DATA = ["PETSTORE_DEPLOYMENT", "DATABASE_URL"];
  const ADDRESS = ["HOST", "PORT", "PETSTORE_BASE_URL", "PETSTORE_STAGING_BASE_URL"];
  const every = {
    ...Object.fromEntries([...ADDRESS, "PETSTORE_ADMIN_HOST", "PETSTORE_WEBHOOK_HOSTS"].map((name) => [name, "other"])),
    ...STAGING,
    PETSTORE_ADMIN_PORT: "off",
    DATABASE_URL: "sqlite:/a.db",
    REDIS_URL: "redis://cache",
    PETSTORE_CATEGORY_CHECK: "on",
    PETSTORE_ORDER_EXPIRY: "1h",
    PETSTORE_BACKUP_DIR: "/copies",
  };

  /** What has the same default on each deployment. */
  const commonDefaults = Object.fromEntries(
    variables.flatMap(({ name, default: value = "", isDerived }) => (isDerived || value === "" ? [] : [[name, value]])),
  );

  test.each<[string, string[]]>([
    ["serve", [...DATA, ...ADDRESS, "PETSTORE_ADMIN_HOST", "PETSTORE_ADMIN_PORT"]],
    ["health", ["PETSTORE_DEPLOYMENT", "HOST", "PORT"]],
    ["openapi", ["PETSTORE_DEPLOYMENT", ...ADDRESS]],
    ...["keys create", "keys rotate"].map((words): [string, string[]] => [words, [...DATA, ...ADDRESS]]),
    ...["keys list", "keys show"].map((words): [string, string[]] => [words, [...DATA, "REDIS_URL"]]),
    ["pets import", [...DATA, "PETSTORE_CATEGORY_CHECK"]],
    ["orders place", [...DATA, "PETSTORE_ORDER_EXPIRY"]],
    ...["create", "update", "test"].map((verb): [string, string[]] => [
      `webhooks ${verb}`,
      [...DATA, "PETSTORE_WEBHOOK_HOSTS"],
    ]),
    ...["backup", "restore", "backups"].map((verb): [string, string[]] => [
      `database ${verb}`,
      [...DATA, "PETSTORE_BACKUP_DIR"],
    ]),
    ...["keys rename", "operators create", "pets list", "audit", "usage"].map((words): [string, string[]] => [
      words,
      DATA,
    ]),
  ])("of all settings, %s has those that matter to it", (words, names) => {
    expect([...of(every, words).matchAll(/(?<=^| )([A-Z_]+)=/g)].map(([, name = ""]) => name)).toEqual(names);
  });

  test.each(deployments)("on %s none has its default", (deployment) => {
    const own = { PETSTORE_DEPLOYMENT: deployment };
    const ports = { PORT: `${defaultPorts[deployment]}`, PETSTORE_ADMIN_PORT: `${defaultAdminPorts[deployment]}` };
    for (const words of ["serve", "health", "keys create", "keys list", "pets import", "orders place"]) {
      expect([words, of({ ...commonDefaults, ...ports, ...own }, words)]).toEqual([words, of(own, words)]);
    }
  });

  test.each(["demo", "completion bash", "help orders"])("%s needs none", (name) => {
    expect(of({ ...STAGING, DATABASE_URL: "sqlite:/a.db" }, name)).toBe(`npx --no petstore ${name}`);
  });

  test("the examples of a help have only those that are not the default", () => {
    const help = (inherited: Record<string, string>) =>
      asRun("  petstore keys create --name x", { ...started(CHECKOUT, { inherited }), isHelp: true });
    expect(help({ PETSTORE_DEPLOYMENT: "production", DATABASE_URL: " ", PORT: "8080" })).toBe(
      "  npx --no petstore keys create --name x",
    );
    expect(help({ DATABASE_URL: "sqlite:a.db" })).toBe(
      "  DATABASE_URL=sqlite:/home/ada/a.db npx --no petstore keys create --name x",
    );
  });

  test("a container gives them to each command, but those of options", () => {
    const inherited = { DATABASE_URL: "sqlite:/data/petstore.db", PORT: "8080", ...STAGING };
    const how = { files: DOCKER, inherited, options: { PORT: "9000" } };
    expect(keys(IMAGE, how)).toBe("docker exec 3f2a9c petstore keys");
    expect(commandOf(started(IMAGE, how), "health")).toBe("docker exec --env PORT=9000 3f2a9c petstore health");
    const options = { DATABASE_URL: "sqlite:b.db", PORT: "9000" };
    expect(commandOf(started(IMAGE, { ...how, options }), "keys rotate")).toBe(
      "docker exec --env DATABASE_URL=sqlite:/home/ada/b.db --env PORT=9000 3f2a9c petstore keys rotate",
    );
  });
});

test.each([
  [CHECKOUT, {}, "npx --no petstore"],
  [NPX, {}, "npx @petstore/server"],
  [CHECKOUT, { files: ["/srv/petstore/bin/petstore.js"] }, "petstore"],
  [EXECUTABLE, {}, "petstore"],
])("the documentation, which anyone may read, names no path of %p", (program, how, expected) => {
  expect(publicProgramOf(started(program, how))).toBe(expected);
});

test("a unit is the process that systemd has started, and none that this one starts", () => {
  const environment = { SYSTEMD_EXEC_PID: "7" };
  expect([isUnit(environment, 7), isUnit(environment, 8), isUnit({}, 7)]).toEqual([true, false, false]);
});

test.each([
  [
    "Run `petstore keys list`, or `petstore serve`.",
    "Run `DATABASE_URL=sqlite:/a.db npx --no petstore keys list`, or `DATABASE_URL=sqlite:/a.db PORT=9000 npx --no petstore serve`.",
  ],
  ["Usage: petstore keys list [options]", "Usage: petstore keys list [options]"],
  [
    "Examples:\n  petstore keys list\n    petstore pets list",
    "Examples:\n  DATABASE_URL=sqlite:/a.db npx --no petstore keys list\n    DATABASE_URL=sqlite:/a.db npx --no petstore pets list",
  ],
  ["  source <(petstore completion bash)", "  source <(npx --no petstore completion bash)"],
  ["petstore: another petstore serves this file", "petstore: another petstore serves this file"],
])("%p names commands as they are run: %p", (text, expected) => {
  expect(asRun(text, started(CHECKOUT, { inherited: { PORT: "9000", DATABASE_URL: "sqlite:/a.db" } }))).toBe(expected);
});
