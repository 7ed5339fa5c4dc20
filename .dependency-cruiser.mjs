// The law of imports, as ARCHITECTURE.md states it: main and commands import the wiring, the wiring imports the adapters,
// the adapters import the domain, never the other way. test/house.long.test.ts runs it, and shows that it can fail.

import { Visitor } from "@swc/core/Visitor.js";

// SWC's visitor (@swc/core 1.16) throws at `using` and `await using`: their declarators are visited as those of `const`.
const { visitStatement } = Visitor.prototype;
Visitor.prototype.visitStatement = function (statement) {
  if (!("decls" in statement)) return visitStatement.call(this, statement);
  this.visitVariableDeclarators(Object(statement).decls);
  return statement;
};

/** What the domain may use from outside: schemas, and functions of Node that compute and do nothing else. */
const PURE = "^(node_modules/zod/|(node:)?(crypto|zlib)$)";

/**
 * A library that only one folder may import.
 * @param {string} folder
 * @param {string} name
 * @param {string} library
 */
const onlyIn = (folder, name, library) => ({
  name,
  severity: "error",
  from: { path: "^src/", pathNot: `^src/adapters/${folder}/` },
  to: { path: library },
});

export default {
  forbidden: [
    {
      name: "domain-imports-itself",
      comment: "Rules are pure: they know neither I/O nor a framework.",
      severity: "error",
      from: { path: "^src/domain/" },
      to: { pathNot: ["^src/domain/", PURE] },
    },
    {
      name: "adapters-import-the-domain",
      comment: "An adapter knows the domain, never the wiring or the commands.",
      severity: "error",
      from: { path: "^src/adapters/" },
      to: { path: "^src/", pathNot: "^src/(adapters|domain)/" },
    },
    {
      name: "wiring-imports-adapters-and-domain",
      comment: "The wiring knows nothing of the command line.",
      severity: "error",
      from: { path: "^src/wiring/" },
      to: { path: "^src/", pathNot: "^src/(wiring|adapters|domain)/" },
    },
    {
      name: "adapters-do-not-import-each-other",
      comment:
        "Two exceptions: listen imports the types of http's app and of its connections, and its refusals of what is not HTTP, and both engines import the stores that they share.",
      severity: "error",
      from: { path: "^src/adapters/([^/]+)/" },
      to: {
        path: "^src/adapters/",
        pathNot: ["^src/adapters/$1/", "^src/adapters/http/(app|request|malformed)[.]ts$", "^src/adapters/sql/"],
      },
    },
    {
      name: "only-listen-imports-the-app",
      severity: "error",
      from: { path: "^src/adapters/", pathNot: "^src/adapters/(listen|http)/" },
      to: { path: "^src/adapters/http/(app|request|malformed)[.]ts$" },
    },
    {
      name: "only-engines-import-sql",
      severity: "error",
      from: { path: "^src/adapters/", pathNot: "^src/adapters/(sql|sqlite|postgres)/" },
      to: { path: "^src/adapters/sql/" },
    },
    {
      name: "three-floors-and-no-more",
      comment: "src holds main.ts and commands, testing.ts and testing, wiring, adapters and domain.",
      severity: "error",
      from: {},
      to: { path: "^src/", pathNot: "^src/((main|testing)[.]ts$|(commands|testing|wiring|adapters|domain)/)" },
    },
    {
      name: "nothing-imports-testing",
      comment: "`@petstore/server/testing` is beside the command, and makes no difference to it.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/testing([.]ts$|/)" },
      to: { path: "^src/testing" },
    },
    {
      name: "one-file-imports-bun",
      comment: "Both runtimes run everything but the files named for Bun.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/adapters/[^/]+/bun[.]ts$" },
      to: { path: "^bun(:|$)" },
    },
    onlyIn("sqlite", "sqlite-stays-in-its-folder", "^node:sqlite$"),
    onlyIn("postgres", "pg-stays-in-its-folder", "^node_modules/pg/"),
    onlyIn("redis", "ioredis-stays-in-its-folder", "^node_modules/ioredis/"),
    onlyIn("prometheus", "prom-client-stays-in-its-folder", "^node_modules/prom-client/"),
    onlyIn("opentelemetry", "opentelemetry-stays-in-its-folder", "^node_modules/@opentelemetry/"),
    {
      name: "tracing-is-loaded-on-demand",
      comment:
        "Without a collector nobody pays for OpenTelemetry: what uses it is imported at run time, and its types are inferred.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/adapters/opentelemetry/" },
      to: { path: "^src/adapters/opentelemetry/", dependencyTypesNot: ["dynamic-import"] },
    },
    {
      name: "no-process-import",
      comment: "process is known to main.ts and commands/ alone, as a global: biome.json checks it.",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(node:)?process$" },
    },
    {
      name: "product-imports-no-tests",
      severity: "error",
      from: { path: "^(src|bin)/" },
      to: { path: "^(test|bench)/" },
    },
    {
      name: "product-needs-no-development-dependency",
      severity: "error",
      from: { path: "^src/" },
      to: { dependencyTypes: ["npm-dev"] },
    },
    {
      name: "everything-imported-exists",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
    { name: "no-circles-of-files", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-circles-of-folders",
      severity: "error",
      scope: "folder",
      from: { path: "^src/(domain|adapters)/[^/]+$" },
      to: { circular: true, path: "^src/(domain|adapters)/[^/]+$" },
    },
  ],
  options: {
    // TypeScript 7 has no parser that other programs could use; SWC's sees every import, those of types included.
    parser: "swc",
    tsPreCompilationDeps: true,
    doNotFollow: { path: "^node_modules/" },
    // Neither is known to the Node that may be running this.
    builtInModules: { add: ["bun", "node:sqlite"] },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "node", "default"] },
  },
};
