// The law of imports, as ARCHITECTURE.md has it: wiring imports adapters, adapters import the domain, nothing the other
// way. test/house.test.ts runs it, and shows that it can fail.

const DOMAIN =
  "^src/((pets|keys|limits|usage|json|audit|operators)/|(errors|unusable|int64|clock|deployment|awaitable)[.]ts$)";
const ADAPTERS = "http|sqlite|postgres|redis|memory|files";

/** What the domain may use from outside: schemas, and functions of Node's that compute and do nothing else. */
const PURE = "^(node_modules/zod/|(node:)?(crypto|zlib)$)";

export default {
  forbidden: [
    {
      name: "every-folder-has-its-floor",
      comment: "A new folder is added here, to the domain or to the adapters, before anything may use it.",
      severity: "error",
      from: {},
      to: { path: "^src/[^/]+/", pathNot: [DOMAIN, `^src/(${ADAPTERS}|listen|commands)/`] },
    },
    {
      name: "domain-stands-alone",
      comment: "The domain imports nothing but itself: rules are pure, and know neither I/O nor a framework.",
      severity: "error",
      from: { path: DOMAIN },
      to: { pathNot: [DOMAIN, PURE] },
    },
    {
      name: "adapters-import-the-domain-alone",
      comment: "An adapter imports the domain, never another adapter and never the wiring.",
      severity: "error",
      from: { path: `^src/(${ADAPTERS})/` },
      to: { path: "^src/", pathNot: ["^src/$1/", DOMAIN] },
    },
    {
      name: "listen-knows-the-app-alone",
      comment: "What listens is given an app: of everything else in the house it knows nothing.",
      severity: "error",
      from: { path: "^src/listen/" },
      to: { path: "^src/", pathNot: ["^src/listen/", "^src/http/app[.]ts$"] },
    },
    {
      name: "one-file-imports-bun",
      comment: "Both runtimes run everything but the file that listens on Bun.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/listen/bun[.]ts$" },
      to: { path: "^bun(:|$)" },
    },
    {
      name: "sqlite-stays-in-its-folder",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/sqlite/" },
      to: { path: "^node:sqlite$" },
    },
    {
      name: "pg-stays-in-its-folder",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/postgres/" },
      to: { path: "^node_modules/pg/" },
    },
    {
      name: "ioredis-stays-in-its-folder",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/redis/" },
      to: { path: "^node_modules/ioredis/" },
    },
    {
      name: "no-process-import",
      comment: "process is known to main.ts, service.ts and commands/ alone, as a global: biome.json holds them to it.",
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
      from: { path: "^src/[^/]+$" },
      to: { circular: true, path: "^src/[^/]+$" },
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
