import type { Mistakes } from "../mutant.ts";

export const wiring: Mistakes = {
  "src/wiring/store-statistics.ts": {
    tests: ["test/wiring/store-statistics.test.ts"],
    mistakes: [
      ['if (readings.some(({ status }) => status === "rejected")) return;', ""],
      ["Promise.allSettled(", "Promise.all("],
      ["this.#known = { ...this.#known, ...part };", "this.#known = { ...this.#known };"],
    ],
  },
  "src/wiring/backups/backups.ts": {
    tests: ["test/commands/backups.long.test.ts"],
    mistakes: [
      ["isDue(this.#scheduledAt, every, this.#clock())", "false"],
      ["else this.#scheduledAt = at;", ""],
      ["Math.min(RETRY_PAUSE, every)", "every", "test/wiring/backups.test.ts"],
      ["(this.config.every ?? 0) / 1000", "this.config.every ?? 0", "test/wiring/backups.test.ts"],
    ],
  },
  "src/wiring/backups/runs.ts": {
    tests: ["test/commands/backups.long.test.ts"],
    mistakes: [
      ["this.failures += 1;", ""],
      ["if (this.job !== undefined) {", "if (false) {", "test/adapters/http/admin/backups.test.ts"],
      [
        "await directory.removeUnfinished(backupName(deployment, begunAt)).catch(() => {});",
        "",
        "test/wiring/backups.test.ts",
      ],
      ["if (this.failure?.kind === kind) this", "this", "test/wiring/backups.test.ts"],
      ["if (this.#stopping.signal.aborted) return;", "", "test/wiring/backups.test.ts"],
    ],
  },
  "src/wiring/backups/variables.ts": {
    tests: ["test/wiring/backup-config.test.ts"],
    mistakes: [["interval >= 60_000", "interval > 60_000"]],
  },
  "src/wiring/public-app.ts": {
    mistakes: [
      ["const FREE_USES = 60;", "const FREE_USES = 600;", "test/adapters/http/usage.test.ts"],
      ["recorders: [usageBuffer, metrics.requests]", "recorders: [usageBuffer]", "test/adapters/http/metrics.test.ts"],
    ],
  },
  "src/wiring/backups/make-backup.ts": {
    tests: ["test/commands/backups.long.test.ts"],
    mistakes: [
      ["backup?.database === nameOf(database)", "false"],
      ["await location.remove(backup.name);", ""],
      ['.filter(({ cause }) => cause === "schedule")', "", "test/wiring/backups.test.ts"],
      ["await directory.removeAbandoned(now);", "", "test/wiring/backups.test.ts"],
    ],
  },
  "src/wiring/backups/verify-backup.ts": {
    tests: ["test/adapters/http/admin/backups.test.ts"],
    mistakes: [
      ["...{ verifiedAt: now, problem },", "...{ verifiedAt: now, problem: null },"],
      ["description.sha256 !== sha256", "description.sha256 === undefined", "test/wiring/backups.test.ts"],
      ["await rm(path, { force: true });", "", "test/commands/backups.long.test.ts"],
    ],
  },
  "src/commands/database/verify-backup.ts": {
    tests: ["test/commands/damaged-backup.test.ts"],
    mistakes: [["if (problem !== null) process.exitCode = 1;", ""]],
  },
  "src/wiring/write-counters.ts": {
    mistakes: [
      ["limiting.requeue(places.slice(i));", ""],
      ["Math.max(places.length, keyIds.length)", "places.length"],
      ["Math.max(places.length, keyIds.length)", "keyIds.length"],
      ["activity.requeue(activityOf(recorded, keyIds.slice(i)));", ""],
      ["activityOf(recorded, keyIds.slice(i))", "activityOf(recorded, keyIds)"],
      ["throw error;", ""],
    ],
  },
  "src/wiring/background-tasks.ts": {
    tests: ["test/wiring/unsaved-counters.long.test.ts"],
    mistakes: [
      [
        "while (!signal.aborted && (await stores.idempotencyKeys.forget(time)) > 0);",
        "",
        "test/wiring/clean-up.test.ts",
      ],
      ["const time = clock() - IDEMPOTENCY_KEY_LIFETIME;", "const time = clock();", "test/wiring/clean-up.test.ts"],
      ["return Math.min(2_000 + rows / 2, 10_000);", "return 2_000;", "test/wiring/usage-interval.test.ts"],
      ["return Math.min(2_000 + rows / 2, 10_000);", "return 2_000 + rows / 2;", "test/wiring/usage-interval.test.ts"],
      ["(await stores.usage.prune(clock(), BATCH)) > 0", "false", "test/adapters/http/usage.test.ts"],
      [
        "buffer.rotate();\n  await writePending(buffer, store);",
        "buffer.rotate();",
        "test/durability/stopping.long.test.ts",
      ],
      [
        "const WRITE_COUNTERS_INTERVAL = 500;",
        "const WRITE_COUNTERS_INTERVAL = 5_000;",
        "test/durability/lost-counts.long.test.ts",
      ],
    ],
  },
  "src/commands/worker-watch.ts": {
    tests: ["test/commands/hanging-workers.long.test.ts"],
    mistakes: [
      ["if (unanswered === MAX_UNANSWERED) return onHang();", ""],
      ["unanswered = 0;\n  });", "});"],
    ],
  },
  "src/commands/workers.ts": {
    tests: ["test/commands/hanging-workers.long.test.ts"],
    mistakes: [
      ["const STOP_TIMEOUT = 9_000;", "const STOP_TIMEOUT = 12_000;"],
      ["this.#log.error({ worker: worker.pid }, reason);", ""],
      ["        isListening = true;\n        clearTimeout(timeout);\n", "        isListening = true;\n"],
      ["const timeout = setTimeout(kill, START_TIMEOUT);", "const timeout = undefined;"],
      ["    this.#metrics.lost += 1;\n", "", "test/commands/workers.long.test.ts"],
    ],
  },
  "src/commands/end-with-launcher.ts": {
    tests: ["test/durability/stop.long.test.ts"],
    mistakes: [['process.kill(process.pid, "SIGTERM");', ""]],
  },
  "src/commands/serve.ts": {
    tests: ["test/commands/workers.long.test.ts"],
    mistakes: [
      [
        'else process.on("SIGHUP", () => {});',
        'else process.on("SIGHUP", () => process.exit(0));',
        "test/commands/hanging-workers.long.test.ts",
      ],
      ["await service.stop(0);", "await service.stop();"],
      ["await removeLimiterSocket(worker.limiterSocket);", ""],
    ],
  },
  "src/wiring/serve-limits.ts": {
    tests: ["test/commands/workers.long.test.ts"],
    mistakes: [
      [
        "if (local === undefined) return { limiting, limiterSocket: undefined };",
        "return { limiting, limiterSocket: undefined };",
      ],
      ["status: (key) => limiter.status(key),", ""],
    ],
  },
  "src/wiring/parent.ts": {
    tests: ["test/commands/workers.long.test.ts"],
    mistakes: [
      ["clocks.requireAgreement();", "", "test/nodes/clocks.long.test.ts"],
      [
        "await firstStart({ stores, deployment: config.deployment, hasConsole: admin !== undefined, clock })",
        "{ firstKey: undefined, firstLink: undefined }",
      ],
    ],
  },
  "src/wiring/scheduler.ts": {
    tests: ["test/wiring/scheduler.test.ts"],
    mistakes: [
      [
        "failures = await this.#run(task, failures);\n      if (isLast) return;",
        "if (isLast) return;\n      failures = await this.#run(task, failures);",
      ],
      ["await Promise.all(this.#loops);", ""],
      ["if (failures === 0) this.#log.warn", "this.#log.warn"],
      ["this.#recorder.record(name, true);", ""],
      ["undefined, { signal }", "undefined"],
      [": task.every();", ": 0;"],
    ],
  },
  "src/wiring/service.ts": {
    tests: ["test/durability/stopping.long.test.ts"],
    mistakes: [
      [
        "const scheduler = stack.use(new Scheduler(log, metrics.tasks));",
        "const scheduler = new Scheduler(log, metrics.tasks);",
      ],
      ["stopping.abort();", ""],
      ["await pause(notice);", ""],
      ["stack.use(await lockStores(config))", "undefined", "test/durability/second-service.long.test.ts"],
      [
        "worker === undefined ? await listenForOperators(listeners, parts) : undefined",
        "await listenForOperators(listeners, parts)",
        "test/commands/workers.long.test.ts",
      ],
    ],
  },
  "src/wiring/administration.ts": {
    tests: ["test/adapters/http/admin/sessions.test.ts"],
    mistakes: [
      ["const SIGN_INS = 10;", "const SIGN_INS = 11;"],
      ["if (admin === undefined) return undefined;", "", "test/adapters/http/admin/listener.test.ts"],
    ],
  },
  "src/wiring/first-start.ts": {
    tests: ["test/wiring/first-start.test.ts"],
    mistakes: [
      ["return withLock(async () => {", "return (async (work: () => Promise<FirstStart>) => work())(async () => {"],
      ["if (!(await keys.isEmpty()))", "if (await keys.isEmpty())"],
      ["hasConsole ? await", "true ? await"],
      ['plan: "business"', 'plan: "free"'],
    ],
  },
  "src/wiring/failure-log.ts": {
    tests: ["test/wiring/failure-log.test.ts"],
    mistakes: [
      ["damage.notice(error.cause);", ""],
      ["now - loggedAt < UNAVAILABLE_LOG_INTERVAL", "now - loggedAt <= UNAVAILABLE_LOG_INTERVAL"],
      ["suppressed = 0;\n    }", "}"],
      ["err: error.cause, requestId, ...traceIds() }", "requestId, ...traceIds() }"],
    ],
  },
  "src/wiring/log.ts": {
    mistakes: [['line.replace(SECRET_LIKE, "[key]")', "line"]],
  },
  "src/domain/audit/change-entry.ts": {
    tests: ["test/adapters/http/admin/pet-changes.test.ts"],
    mistakes: [
      ["...(changed && { target: String(changed.id) }),", ""],
      ["...(before && { before: json(before) }),", ""],
      ["after ?? before", "after"],
    ],
  },
  "src/wiring/import-items.ts": {
    tests: ["test/commands/import.long.test.ts"],
    mistakes: [
      ["if (waiting.length > 0) yield await importBatch(waiting, apply);", ""],
      ["if (!(error instanceof InputStopped)) throw error;", ""],
      [".toSorted((a, b) => a.line - b.line)", "", "test/commands/import-replace.long.test.ts"],
      [
        'error instanceof FileError ? new PetstoreError("validation_failed", { message: error.message }) : error',
        "error",
        "test/adapters/http/admin/pets.test.ts",
      ],
    ],
  },
  "src/wiring/import-pets.ts": {
    tests: ["test/commands/import-replace.long.test.ts", "test/commands/category-check.test.ts"],
    mistakes: [
      ["after.version !== pet?.version", "true"],
      ["staysSold: !isSame(after, patch)", "staysSold: true"],
      ["this.#addAndChange(entries, line, !replaceStatus)", "this.#addAndChange(entries, line, false)"],
      ["!checksCategories || categories.includes(item.categoryId)", "true"],
      ["this.#result.changed += batch.changed;", ""],
      ["this.#result.isWhole = true;", ""],
      [
        "imported: this.#result.imported + pets.length",
        "imported: pets.length",
        "test/adapters/http/admin/import-audit.test.ts",
      ],
      ["added: pets.length,", "added: entries.length,"],
      [
        'await audit.append(this.#entry("pets.import.begin", options));',
        "",
        "test/adapters/http/admin/import-audit.test.ts",
      ],
    ],
  },
  "src/wiring/import-changes.ts": {
    tests: ["test/commands/import-replace.long.test.ts"],
    mistakes: [
      [" || (id !== undefined && group.some(({ item }) => item.id === id))", ""],
      ["error instanceof PetstoreError && !error.isFailure", "error instanceof PetstoreError && error.isFailure"],
      ["return group.length === 0 ? groups : [...groups, group];", "return groups;"],
    ],
  },
  "src/wiring/import-categories.ts": {
    tests: ["test/commands/categories.long.test.ts"],
    mistakes: [
      ['if (before?.name === name) return "unchanged";', ""],
      ['before === undefined ? "added" : "changed"', '"added"'],
      [" && isLastOfItsId(entry, entries)", ""],
      ["makeChanges(entries, 1,", "makeChanges(entries, 20,"],
    ],
  },
  "src/wiring/name-chains.ts": {
    tests: ["test/commands/categories.long.test.ts"],
    mistakes: [
      ["if (next === first) return { lines: chain, cycle: named };", ""],
      ["name: next.item.name", "name: first.item.name"],
    ],
  },
  "src/wiring/list-pages.ts": {
    tests: ["test/commands/pets.long.test.ts"],
    mistakes: [
      ["after = BigInt(last.id);", ""],
      ["|| page.length < PAGE) return;", "|| page.length <= PAGE) return;"],
    ],
  },
  "src/wiring/export-items.ts": {
    tests: ["test/adapters/http/admin/pets.test.ts"],
    mistakes: [["if (header !== undefined) yield header;", ""]],
  },
  "src/commands/listing.ts": {
    tests: ["test/commands/pets.long.test.ts"],
    mistakes: [
      ["doMoreFollow = page.length > left;", "doMoreFollow = page.length >= left;"],
      ["if (left === 0) break;", ""],
      ["limit ?? Infinity", "limit ?? DEFAULT_ROWS"],
      ["limit ?? DEFAULT_ROWS", "limit ?? 2 * DEFAULT_ROWS"],
      ["page.slice(0, left).map(json)", "page.map(json)"],
    ],
  },
  "src/commands/audit.ts": {
    tests: ["test/commands/audit.long.test.ts"],
    mistakes: [["before: id === undefined ? undefined : Number(id)", "before: undefined"]],
  },
  "src/wiring/invalidating-keys.ts": {
    tests: ["test/wiring/forgetting-keys.test.ts"],
    mistakes: [["if (position === undefined) forget(keyId);", ""]],
  },
  "src/commands/key-lists.ts": {
    tests: ["test/commands/key-lists.long.test.ts"],
    mistakes: [["if (start !== undefined && after === undefined) throw", 'if (start === "") throw']],
  },
  "src/commands/help.ts": {
    tests: ["test/commands/arguments.test.ts"],
    mistakes: [['path.join(" ")', "name"]],
  },
  "src/commands/pets/list.ts": {
    tests: ["test/commands/pets.long.test.ts"],
    mistakes: [
      ["newest ? INT64_MAX : 0n", "0n"],
      ["list({ status, categoryId, name, ids, ", "list({ status, name, ids, "],
    ],
  },
  "src/commands/pets/update.ts": {
    tests: ["test/commands/pets.long.test.ts"],
    mistakes: [["{ name, categoryId, status }, Date", "{ name, status }, Date"]],
  },
  "src/commands/pets/show.ts": {
    tests: ["test/commands/pets.long.test.ts"],
    mistakes: [["category === undefined ? String(categoryId) :", "category !== undefined ? String(categoryId) :"]],
  },
  "src/commands/pets/import.ts": {
    tests: ["test/commands/category-check.test.ts"],
    mistakes: [["checksCategories, clock: Date.now", "checksCategories: false, clock: Date.now"]],
  },
  "src/commands/pets/export.ts": {
    tests: ["test/commands/export.long.test.ts"],
    mistakes: [["bulk.snapshot(options.status)", "bulk.snapshot()"]],
  },
  "src/commands/categories/rename.ts": {
    tests: ["test/commands/categories.long.test.ts"],
    mistakes: [["if ((await categories.get(id)) === undefined) throw", "if (id === 0n) throw"]],
  },
  "src/commands/categories/list.ts": {
    tests: ["test/commands/categories.long.test.ts"],
    mistakes: [["categories.list({ name, ids, ...page })", "categories.list(page)"]],
  },
  "src/commands/orders/list.ts": {
    tests: ["test/commands/orders.long.test.ts"],
    mistakes: [["orders.list({ status, petId, ids, ", "orders.list({ status, ids, "]],
  },
  "src/commands/orders/export.ts": {
    tests: ["test/commands/orders.long.test.ts"],
    mistakes: [["{ status: options.status, ...page }", "page"]],
  },
  "src/commands/orders/show.ts": {
    tests: ["test/commands/orders.long.test.ts"],
    mistakes: [['pet === undefined ? "removed" :', 'pet === undefined ? "unknown" :']],
  },
  "src/commands/orders/change.ts": {
    tests: ["test/commands/orders.long.test.ts"],
    mistakes: [['name: "cancel", status: "cancelled"', 'name: "cancel", status: "approved"']],
  },
  "src/commands/files/report.ts": {
    tests: ["test/commands/import-replace.long.test.ts"],
    mistakes: [
      ["this.#unchanged += unchanged;", ""],
      [
        "this.#firstRejected ??= rejected[0];",
        "this.#firstRejected = rejected[0];",
        "test/commands/import.long.test.ts",
      ],
    ],
  },
  "src/wiring/clock-comparison.ts": {
    mistakes: [
      ["Math.abs(difference) > MAX_READY", "difference > MAX_READY"],
      ["Math.abs(difference) > MAX_UNNOTICED", "Math.abs(difference) >= MAX_UNNOTICED"],
      ["if (assessment === this.#assessment) return;", ""],
      ["Math.abs(b) - Math.abs(a)", "b - a"],
    ],
  },
  "src/wiring/config-schemas.ts": {
    tests: ["test/wiring/config.test.ts"],
    mistakes: [
      ["&& !/^[^?]*@/.test(rest)", ""],
      ['&& isDecodable(encoded ?? "")', ""],
      ['(host === "" && server === "postgres")', "false"],
    ],
  },
  "src/wiring/config.ts": {
    mistakes: [
      [
        '.replace(/\\/\\/[^/]*@/, "//")',
        "",
        "test/wiring/config.test.ts",
        "test/wiring/start.long.test.ts",
        "test/commands",
      ],
      ['value.trim() !== ""', 'value !== ""'],
      [
        'PETSTORE_CATEGORY_CHECK === "on"',
        'PETSTORE_CATEGORY_CHECK !== "on"',
        "test/adapters/http/category-check.test.ts",
      ],
      ['host === "0.0.0.0" || host === "::"', 'host === "0.0.0.0"'],
      ["values.PETSTORE_ADMIN_HOST.toLowerCase()", "values.PETSTORE_ADMIN_HOST", "test/wiring/config.test.ts"],
    ],
  },
  "src/wiring/sqlite-stores.ts": {
    tests: ["test/durability/lost-file.long.test.ts"],
    mistakes: [["check: () => database.check(),", "check: () => {},"]],
  },
  "src/wiring/postgres-stores.ts": {
    tests: ["test/adapters/http/readiness.test.ts"],
    mistakes: [
      ["check: async () => void (await pets.list({ limit: 1, after: 0n })),", "check: () => {},"],
      [
        "withLock: (work) => database.withLock(work),",
        "withLock: (work) => work(),",
        "test/wiring/first-start.test.ts",
      ],
      [
        "findKey: (secret) => keyCache.find(secret),",
        "findKey: (secret) => new TimedKeyCache(deployment, (hash) => keys.findBySecret(hash)).find(secret),",
        "test/adapters/http/metrics.test.ts",
        "test/nodes/metrics.long.test.ts",
      ],
    ],
  },
  "src/wiring/redis-limiting.ts": {
    tests: ["test/nodes/exactness.long.test.ts"],
    mistakes: [
      ["await connect(redis).catch(startLocally);", "await connect(redis);", "test/nodes/metrics.long.test.ts"],
    ],
  },
  "src/wiring/listeners.ts": {
    tests: ["test/wiring/start.long.test.ts"],
    mistakes: [["isPort ? remedies.port : remedies.host", "remedies.port"]],
  },
  "src/wiring/open-limiting.ts": {
    tests: ["test/commands/key-changes.long.test.ts"],
    mistakes: [
      ["if (!hasFailed) onFailure(error);", "onFailure(error);"],
      ["read(keyId).catch(fail)", "read(keyId)"],
    ],
  },
  "src/commands/keys.ts": {
    tests: ["test/commands/key-changes.long.test.ts"],
    mistakes: [["json && keyJson(", "keyJson("]],
  },
  "src/wiring/shared-limiting.ts": {
    tests: ["test/nodes/exactness.long.test.ts"],
    mistakes: [
      ["fallbacks.isActive = false;", "", "test/nodes/metrics.long.test.ts"],
      ["fallbacks.total += 1;", "", "test/nodes/metrics.long.test.ts"],
    ],
  },
  "src/wiring/service-state.ts": {
    tests: ["test/adapters/http/readiness.test.ts"],
    mistakes: [["return { ok: false, latencyMs: null };", "return { ok: true, latencyMs: null };"]],
  },
  "src/commands/demo.ts": {
    tests: ["test/commands/demo.long.test.ts"],
    mistakes: [
      ["...(port !== undefined && { PORT: String(port) }),", ""],
      ["    REDIS_URL: undefined,\n", ""],
      ['    PETSTORE_DEPLOYMENT: "staging",\n', ""],
      ['    PETSTORE_ADMIN_PORT: "0",\n', ""],
      ['database: { engine: "sqlite", path: IN_MEMORY }', ""],
      ["value?.trim()", "true"],
      ["const MAX_PETS = 100_000;", "const MAX_PETS = 1_000_000;"],
    ],
  },
  "src/commands/demo/text.ts": {
    tests: ["test/commands/demo.long.test.ts"],
    mistakes: [
      ["console === undefined ? [] : ", ""],
      ["contentsOf(demo)}: seed", "contentsOf(demo)} seed"],
    ],
  },
  "src/wiring/seed-file.ts": {
    tests: ["test/adapters/http/admin/staging-reset.test.ts"],
    mistakes: [
      ["pets.push(entry.item) > MAX_SEED_PETS", "pets.push(entry.item) < 0"],
      ["checksCategories && !isSampleCategory", "!isSampleCategory"],
      ["checksCategories && !isSampleCategory(entry.item.categoryId)", "false"],
      ["error instanceof FileError ? invalid(error.message) : error", "error"],
    ],
  },
  "src/commands/staging/reset.ts": {
    tests: ["test/commands/staging-reset.test.ts"],
    mistakes: [
      ["if (!yes) throw", "if (false) throw"],
      ["withRaw(format, isRaw)", "format"],
    ],
  },
};
