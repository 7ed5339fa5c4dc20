import type { Mistakes } from "../mutant.ts";

const MEMORY = "test/adapters/memory";
const SQLITE = "test/adapters/sqlite";
const POSTGRES = "test/adapters/postgres";
const REDIS = "test/adapters/redis";
const S3 = "test/adapters/s3";

export const stores: Mistakes = {
  "src/adapters/memory/activity-buffer.ts": {
    tests: ["test/domain/keys/activity.test.ts"],
    mistakes: [
      ["merge(this.#activity, activity);", ""],
      ["this.#activity = noActivity();\n    return drained;", "return drained;"],
    ],
  },
  "src/adapters/socket/limiter.ts": {
    tests: ["test/adapters/socket/limiter.test.ts"],
    mistakes: [
      ["...(pardonedAt !== undefined && { pardonedAt })", ""],
      ["      this.#socket = undefined;\n", ""],
      ['for (const { reject } of this.#waiting.splice(0)) reject(new Error("the connection was closed"));', ""],
      ["    this.#calls = [];\n  }\n\n  #connect", "  }\n\n  #connect"],
    ],
  },
  "src/adapters/socket/shared-counts.ts": {
    tests: ["test/adapters/socket/sharing-limiter.test.ts"],
    mistakes: [
      ["taken === undefined || taken === MOST_TAKEN", "taken === undefined"],
      ["if (!changesCountsAlone) return undefined;", ""],
      ["Atomics.compareExchange(this.#cells, cell, before, after) === before", "(this.#cells[cell] = after) === after"],
      ["(count.generation + 1) % MOST_GENERATIONS", "count.generation"],
    ],
  },
  "src/adapters/socket/sharing-limiter.ts": {
    tests: ["test/adapters/socket/sharing-limiter.test.ts"],
    mistakes: [
      ["for (const id of this.#shared.keys()) this.#update(id);", ""],
      ["    this.#update(subject.id);\n", ""],
      ["if (taken === shared.known) return;", ""],
      ["      this.#end(id, count);\n    }\n    const decision", "    }\n    const decision"],
      ["if (this.#isUsed[cell] === 0) return cell;", "return cell;"],
      ["this.#isUsed[count.cell] = 0;", ""],
      ["if (now >= count.since.minute.resetAt * 1000) this", "this"],
    ],
  },
  "src/adapters/socket/known-counts.ts": {
    tests: ["test/adapters/socket/sharing-limiter.test.ts"],
    mistakes: [['decision.outcome === "allowed" ? undefined : decision', "decision"]],
  },
  "src/adapters/backups/directory.ts": {
    tests: ["test/adapters/backups/directory.test.ts"],
    mistakes: [
      ["if (!stats?.isFile()) return undefined;", "if (stats === undefined) return undefined;"],
      ["if (now - mtimeMs > ABANDONED)", "if (true)"],
      ["sort((a, b) => b.at - a.at)", "sort((a, b) => a.at - b.at)"],
      ["bytes + RESERVE <=", "bytes <="],
      ["await rm(unfinished, { force: true });", ""],
    ],
  },
  "src/adapters/s3/objects.ts": {
    tests: ["test/adapters/s3/objects.long.test.ts"],
    mistakes: [
      ["key.slice(this.#prefix.length)", "key"],
      ["page < MAX_PAGES", "page < 1e9"],
      ['if (text.includes("<Error>"))', "if (false)", `${S3}/requests.test.ts`],
      [
        'await client.send({ method: "DELETE", key, query: { uploadId } })',
        "await Promise.resolve()",
        `${S3}/requests.test.ts`,
      ],
      ["Math.max(this.#partBytes, Math.ceil(size / MAX_PARTS))", "this.#partBytes", `${S3}/requests.test.ts`],
    ],
  },
  "src/adapters/prometheus/backups.ts": {
    tests: ["test/wiring/backups.test.ts"],
    mistakes: [["(latest()?.at ?? 0) / 1000", "latest()?.at ?? 0"]],
  },
  "src/adapters/prometheus/event-loop-delay.ts": {
    tests: ["test/adapters/prometheus/metrics.test.ts"],
    mistakes: [["startedAt = now;", ""]],
  },
  "src/adapters/s3/client.ts": {
    tests: [`${S3}/requests.test.ts`],
    mistakes: [
      ["...(sessionToken !== undefined && { sessionToken }),", ""],
      ["status === 429 || status === 408", "status === 408"],
      ['redirect: "manual", ', ""],
    ],
  },
  "src/adapters/s3/backups.ts": {
    tests: [`${S3}/requests.test.ts`],
    mistakes: [
      [
        "await this.#objects.putFile(backup.name, path);\n    await this.describe(backup);",
        "await this.describe(backup);\n    await this.#objects.putFile(backup.name, path);",
      ],
    ],
  },
  "src/adapters/s3/body.ts": {
    tests: ["test/adapters/s3/objects.long.test.ts"],
    mistakes: [
      ["if (length > limit) throw", "if (false) throw"],
      ["patience() - waited", "60_000"],
      ["if (length === bytes) return;", "return;"],
    ],
  },
  "src/adapters/socket/lines.ts": {
    mistakes: [['rest = lines.pop() ?? "";', "lines.pop();"]],
  },
  "src/adapters/sql/limit-state-text.ts": {
    tests: [`${POSTGRES}/counters.test.ts`],
    mistakes: [["day: { count: day,", "day: { count: minute,"]],
  },
  "src/adapters/memory/limiter.ts": {
    mistakes: [
      ["this.#states.requeue(places);", ""],
      ["if (isOver(state, now)) this.#states.delete(id);", "this.#states.delete(id);"],
      ["this.#unswept = this.#states[Symbol.iterator]();\n        return;", "return;"],
      ["const SWEPT_AT_ONCE = 2_000;", "const SWEPT_AT_ONCE = 20_000;"],
      ['if (decision.outcome !== "allowed") return undefined;', ""],
      ["if (decision !== undefined) this.replaceState(id, state);", ""],
    ],
  },
  "src/adapters/memory/minute-limiter.ts": {
    mistakes: [
      ["this.#windows.size < MAX_WINDOWS) return;", "true) return;"],
      ["const MAX_WINDOWS = 100_000;", "const MAX_WINDOWS = 1_000;"],
    ],
  },
  "src/adapters/memory/local-key-cache.ts": {
    mistakes: [
      ["const MAX_KEYS = 200_000;", "const MAX_KEYS = 2_000_000;"],
      ["revision !== this.#revisionOfKeys", "this.#revisionOfKeys < 0"],
      ["this.#keys.deleteWhere(({ key }) => key.id === keyId);", ""],
      ["if (found !== undefined) this.#keys.set(secret, found);", ""],
      ['if (formOf(secret, this.#deployment) !== "genuine") return undefined;', ""],
    ],
  },
  "src/adapters/memory/timed-key-cache.ts": {
    mistakes: [
      ["const MAX_KEYS = 20_000;", "const MAX_KEYS = 200_000;", `${MEMORY}/bounds.test.ts`],
      ["const MAX_AGE = 900;", "const MAX_AGE = 9_000;"],
      ["now - pending.startedAt < MAX_AGE", "true"],
      ["age >= MAX_AGE) {", "age >= MAX_AGE * 2) {"],
      ['if (formOf(secret, this.#deployment) !== "genuine") return undefined;', ""],
      ["this.#entries.delete(secret);\n    if (found", "if (found", `${MEMORY}/bounds.test.ts`],
    ],
  },
  "src/adapters/sql/key-filter.ts": {
    tests: ["test/adapters/sqlite/keys.test.ts"],
    mistakes: [
      ['"owner_name_key = :owner"', '"owner_key = :owner"'],
      ["if (owner.email !== undefined) return", "if (owner.name === undefined) return"],
      ["      ...owned.texts,\n", ""],
    ],
  },
  "src/adapters/sql/key-index.ts": {
    tests: ["test/adapters/sqlite/keys.test.ts"],
    mistakes: [['!state.includes("active")', "true"]],
  },
  "src/adapters/sql/key-order.ts": {
    tests: ["test/adapters/sqlite/keys.test.ts"],
    mistakes: [["ORDER BY owner_key, created_at, id", "ORDER BY owner_key, id"]],
  },
  "src/adapters/sql/key-slices.ts": {
    tests: ["test/adapters/sqlite/keys.test.ts"],
    mistakes: [
      ['compared(until, "end")', 'compared(after, "end")'],
      ['compared(after, "start")', 'compared(until, "start")'],
      ["both(of.only, startOf(of.order, position))", "startOf(of.order, position)"],
      ["[...start.texts, ", "["],
    ],
  },
  "src/adapters/sql/key-listing.ts": {
    tests: ["test/adapters/sqlite/keys.test.ts"],
    mistakes: [
      ["most + 1 - count", "most - count"],
      ["if (count > most) break", "if (count >= most) break"],
      ["isExact: count <= most", "isExact: count < most", "test/adapters/sqlite/key-texts.test.ts"],
      ["both(others, { texts: [], values: few.values })", "{ texts: [], values: few.values }"],
      ["after === undefined && matching !== undefined", "matching !== undefined"],
      ["after === undefined ? rows : []", "rows"],
      ["SELECT id, count(*) OVER () AS matching", "SELECT id, 1 AS matching"],
      [
        "if (inStates !== undefined) return { total: inStates",
        "if (inStates !== undefined) return { total: rows.length",
      ],
      ["if (counted === undefined || conditionsOf(filter, now).texts.length > 0)", "if (counted === undefined)"],
      ['rehearsing: of("rehearsing")', "rehearsing: 0"],
      ["let count = first.length", "let count = 0"],
      ["found !== undefined && hasSearchOnly", "found !== undefined"],
    ],
  },
  "src/adapters/sqlite/key-texts.ts": {
    tests: ["test/adapters/sqlite/key-texts.test.ts"],
    mistakes: [
      [".replaceAll('\"', '\"\"')", "", "test/adapters/sqlite/keys.test.ts"],
      ["Math.max(most, mostFew + 1)", "mostFew + 1"],
      ["text + LAST_CHARACTER.repeat(PART)", "text"],
      ["SELECT DISTINCT doc", "SELECT doc"],
      ["[...text].length < PART", "text.length < PART", "test/adapters/sqlite/keys.test.ts"],
    ],
  },
  "src/adapters/postgres/key-texts.ts": {
    tests: ["test/adapters/postgres/keys.test.ts"],
    mistakes: [
      ["CAST(:parts AS text[]), NULL)", "CAST(:parts AS text[]), 1)"],
      ["* (SELECT min(keys) FROM counted)", "* (SELECT min(keys) - 1 FROM counted)"],
    ],
  },
  "src/adapters/memory/past-hours.ts": {
    tests: [`${MEMORY}/bounds.test.ts`, `${MEMORY}/key-usage.test.ts`],
    mistakes: [
      ["if (this.#entries.size > MOST_KEYS && oldest !== undefined) this.#entries.delete(oldest);", ""],
      ["now < entry.readAt + KEPT_FOR", "true"],
      ["const KEPT_FOR = 3_600_000;", "const KEPT_FOR = 36_000_000;"],
      ["entry.end > end", "false"],
    ],
  },
  "src/adapters/memory/key-usage.ts": {
    tests: [`${MEMORY}/day.test.ts`, `${MEMORY}/key-usage.test.ts`],
    mistakes: [
      ['...this.#buffer.pendingOf(keyId, "hour")', ""],
      ["const HOURS = 24;", "const HOURS = 23;", "test/adapters/http/usage.test.ts"],
      ["first === undefined || first.at >= start", "true"],
      ["const WRITTEN_AFTER = 30_000;", "const WRITTEN_AFTER = 0;"],
      ["&& rotations === this.#buffer.rotations", ""],
      ["this.#pending.delete(keyId)", "{}"],
      ["at >= end", "at > end"],
    ],
  },
  "src/adapters/memory/usage-buffer.ts": {
    mistakes: [
      ["if (this.isWriting) return;", "", `${MEMORY}/bounds.test.ts`],
      ["const KEYS_PER_WRITE = 200;", "const KEYS_PER_WRITE = 100_000;"],
      ["this.#earlier.length > MAX_MINUTES ?", "this.#earlier.length > 9 * MAX_MINUTES ?"],
      ["this.#hours.clear();", "", `${MEMORY}/bounds.test.ts`],
      ["merge(sum, tally);", ""],
      ["this.#isFirstVisible = true;", "", `${MEMORY}/key-usage.test.ts`],
      ["this.#isFirstVisible = false;", "", `${MEMORY}/key-usage.test.ts`],
    ],
  },
  "src/adapters/memory/fallback-limiter.ts": {
    mistakes: [
      ["this.#parts.local.take(this.#shareOf(subject))", "this.#parts.local.take(subject)"],
      [
        "if (this.#silentTicks <= this.#parts.patience) this",
        "if (this.#silentTicks <= 10 * this.#parts.patience) this",
      ],
      ["this.#waiting.clear();\n    for", "for"],
      ["clearInterval(this.#probes);\n    const", "const"],
      ["if (this.#failedAt !== undefined) return local();", ""],
      ["if (this.#parts.isReply(error)) this.#judge(error, keyId);\n          else", ""],
      ["if (this.#failedKeys.has(keyId)) return;", ""],
      ["if (this.#failedKeys.size > 0) this.#failedKeys.delete(keyId);", ""],
      ["|| performance.now() - startedAt > TICK * this.#parts.patience", ""],
    ],
  },
  "src/adapters/sql/audit.ts": {
    tests: [`${POSTGRES}/operators.test.ts`, `${SQLITE}/operators.test.ts`],
    mistakes: [
      ["id < :below", "id <= :below"],
      ['if (target !== undefined) conditions.push({ text: "target = :target", values: { target } });', ""],
      ["ORDER BY id DESC LIMIT", "ORDER BY id LIMIT"],
      ["action.map((one, i)", "action.slice(1).map((one, i)"],
      ["before: before === undefined ? null : toJson(before),", "before: null,"],
      ["requestId: requestId ?? null,", "requestId: null,"],
      ['.join(" AND ")', '.join(" OR ")'],
      ["+at >= :from", "+at > :from"],
      ["+at < :to", "+at <= :to"],
      ["time - MAX_CLOCK_DIFFERENCE", "time"],
      ["time + MAX_CLOCK_DIFFERENCE", "time"],
      ['operator?.startsWith("op_") ? "operator_id" : "operator_name"', '"operator_name"'],
    ],
  },
  "src/adapters/sql/pets.ts": {
    tests: [`${SQLITE}/pets.test.ts`, `${SQLITE}/shop.test.ts`],
    mistakes: [
      [" FOR UPDATE", "", `${POSTGRES}/shop.test.ts`],
      ["requireTag(tagOfVersion(pet.version), preconditions);", ""],
      ["name_key: nameKey(name) })", "name_key: nameKey(before.name) })", "test/adapters/http/list-filters.test.ts"],
      ["...(status !== before.status && { status }),", ""],
      ["yield count(difference(undefined, status));", "", `${SQLITE}/category-check.test.ts`],
      ["if (after.status !== pet.status) yield count(difference(pet.status, after.status));", ""],
      ["yield count(difference(pet.status, undefined));", ""],
      ["requireNotReserved(yield* holderOf(pet));", ""],
      ["AND status IN (", "AND status NOT IN ("],
      ["keepsSold && takesBack(pet, patch) && (yield* wasDelivered(pet))", "keepsSold && takesBack(pet, patch)"],
      ["keepsSold && takesBack(pet, patch)", "takesBack(pet, patch)"],
      [
        "if (options.by === undefined && !this.rules.checksCategories)",
        "if (options.by === undefined)",
        `${SQLITE}/category-check.test.ts`,
      ],
      [
        "run: () => create(pet, this.rules, {})",
        "run: () => create(pet, { checksCategories: false }, {})",
        `${SQLITE}/category-check.test.ts`,
      ],
      ["&& before?.categoryId !== categoryId)", ")", `${SQLITE}/category-check.test.ts`],
      [
        'yield* record({ action: "pet.create", json: petJson, after: pet }, authored);',
        "",
        "test/adapters/http/admin/audit.test.ts",
      ],
      ["if (after === pet) return pet;", "", "test/adapters/http/admin/pet-changes.test.ts"],
      [
        'yield* record({ action: "pet.update", json: petJson, before: pet, after }, authored);',
        "",
        "test/adapters/http/admin/pet-changes.test.ts",
      ],
      [
        'yield* record({ action: "pet.delete", json: petJson, before: pet }, authored);',
        "",
        "test/adapters/http/admin/pet-changes.test.ts",
      ],
    ],
  },
  "src/adapters/sql/orders.ts": {
    tests: [`${SQLITE}/shop.test.ts`],
    mistakes: [
      [" FOR UPDATE", "", `${POSTGRES}/shop.test.ts`],
      ["requireTag(tagOfVersion(order.version), preconditions);", ""],
      [
        'yield* record({ action: "order.place", json: orderJson, after: order }, authored);',
        "",
        "test/commands/orders.long.test.ts",
      ],
      ["...difference(pet.status, pending.status), ", ""],
      ["...difference(pet.status, petThen.status), ", ""],
      [", ...difference(undefined, order.status)", ""],
      [", ...difference(order.status, status)", ""],
      ["yield* replacePet(pet, petThen);", ""],
      ["placed(Number(id), Number(petId), at)", "placed(Number(id), Number(petId), now)"],
      [
        'yield* record({ action: "order.update", json: orderJson, before: order, after }, authored);',
        "",
        "test/adapters/http/admin/orders.test.ts",
      ],
    ],
  },
  "src/adapters/sql/orders-page.ts": {
    tests: [`${SQLITE}/shop.test.ts`],
    mistakes: [
      ["id > :after", "id >= :after"],
      ["id < :after", "id <= :after"],
      ["one === undefined ? filter", "true ? filter"],
      ['...(petId === undefined ? [] : [{ text: "pet_id = :petId", values: { petId } }]),', ""],
      ["petId !== undefined && status === undefined", "false", `${SQLITE}/schema.test.ts`],
    ],
  },
  "src/adapters/sql/categories.ts": {
    tests: [`${SQLITE}/shop.test.ts`],
    mistakes: [
      ["SET last_version = last_version + 1", "SET last_version = last_version"],
      ["category_counters FOR UPDATE", "category_counters", `${POSTGRES}/shop.test.ts`],
      ["WHERE id = :id FOR UPDATE", "WHERE id = :id", `${POSTGRES}/category-check.test.ts`],
      ["requireTag(before && tagOfVersion(before.version), preconditions);", ""],
      ["requireTag(tagOfVersion(category.version), preconditions);", ""],
      ["yield* requireFreeName(name, id);", ""],
      ["yield* requireFreeName(after.name);", ""],
      ["yield* requireFreeName(name, id);", "yield* requireFreeName(name);"],
      ["name = :name, name_key = :key, version", "name = :name, version"],
      ['if (pets.length > 0) throw new PetstoreError("category_in_use");', ""],
      ['yield { text: "UPDATE petstore.category_counters SET last_id = :id", values: { id } };', ""],
      ["{ key: nameKey(name) } }]),", "{ key: name } }]),"],
      ["id > :after", "id >= :after"],
      [
        "if (before?.name === name) return { category: before, isNew: false };",
        "",
        "test/adapters/http/admin/categories.test.ts",
      ],
      [
        'yield* record({ action: "category.update", json: categoryJson, before, after: category }, authored);',
        "",
        "test/adapters/http/admin/categories.test.ts",
      ],
    ],
  },
  "src/adapters/sql/category-ids.ts": {
    tests: [`${SQLITE}/shop.test.ts`],
    mistakes: [
      ["id > start + BigInt(TRIED) ? undefined", "false ? undefined"],
      ["OR EXISTS (SELECT 1 FROM petstore.pets WHERE category_id = candidates.id)", ""],
    ],
  },
  "src/adapters/sql/category-check.ts": {
    tests: [`${POSTGRES}/category-check.test.ts`],
    mistakes: [
      ["WHERE id = :id FOR SHARE", "WHERE id = :id"],
      ["} FOR SHARE", "}"],
      ["return rows.length > 0;", "return rows.length >= 0;"],
    ],
  },
  "src/adapters/sql/inventory.ts": {
    tests: [`${SQLITE}/shop.test.ts`, `${SQLITE}/pets.test.ts`],
    mistakes: [
      ["export const SHARDS = 16;", "export const SHARDS = 32;"],
      ["sum(pending) AS pending", "max(pending) AS pending"],
      ["sum(delivered) AS delivered", "max(delivered) AS delivered"],
      ["if (before === after) return {};", ""],
      ["...(before !== undefined && { [before]: -1 }),", ""],
      [", ...(after !== undefined && { [after]: 1 })", ""],
    ],
  },
  "src/adapters/sql/idempotency-keys.ts": {
    tests: [`${SQLITE}/pets.test.ts`, `${SQLITE}/shop.test.ts`],
    mistakes: [
      ["known.created_at <= :expired", "known.created_at < :expired"],
      ["request = excluded.request\n", "request = known.request\n"],
      ["requireSameRequest(first, request);", ""],
      ["SET created_id = :id WHERE", "SET created_id = :id - 1 WHERE"],
      ["WHERE created_at < :time", "WHERE created_at <= :time"],
      ["WHERE created_at < :time", "WHERE created_at > :time"],
      ["{BATCH_SIZE})", "{1e9})", `${POSTGRES}/shop.test.ts`],
    ],
  },
  "src/adapters/sql/page-query.ts": {
    tests: [`${SQLITE}/shop.test.ts`],
    mistakes: [
      ['.join(" AND ")', '.join(" OR ")', "test/adapters/http/list-categories.test.ts"],
      [" ORDER BY id LIMIT", " LIMIT", `${POSTGRES}/shop.test.ts`],
    ],
  },
  "src/adapters/sql/operators.ts": {
    tests: [`${SQLITE}/operators.test.ts`, `${POSTGRES}/operators.test.ts`],
    mistakes: [
      [
        '{ text: "DELETE FROM petstore.sessions WHERE operator_id = :id", values: { id } },\n      insertEntry(entry),',
        '{ text: "DELETE FROM petstore.sessions WHERE operator_id = :id", values: { id } },',
      ],
      ['{ text: "DELETE FROM petstore.sessions WHERE operator_id = :id", values: { id } },', ""],
      ["WHERE id = :id AND revoked_at IS NULL", "WHERE id = :id"],
      ["AND revoked_at IS NULL AND id <> :id", "AND id <> :id"],
      ["expires_at <= :createdAt", "expires_at < :createdAt"],
      ["values: { hash }, mustChange: true }", "values: { hash } }"],
      ["insertSession(session),\n      insertEntry(entry),", "insertSession(session),"],
      ["WHERE hash = :linkHash AND expires_at > :now", "WHERE hash = :linkHash"],
      ["expires_at > :now", "expires_at >= :now"],
      ["WHERE hash = :linkHash AND", "WHERE"],
      ["now: session.createdAt },\n        mustChange: true,", "now: session.createdAt },"],
      [
        "await this.#sql.commit(LOCK, endLink, insert",
        "await this.#sql.commit(LOCK, insert",
        "test/adapters/http/admin/first-operator.test.ts",
      ],
      [" WHERE NOT EXISTS (SELECT 1 FROM petstore.operators)", ""],
      ["...entries.map(insertEntry),", ""],
    ],
  },
  "src/adapters/sql/simulated-requests.ts": {
    tests: [`${SQLITE}/keys.test.ts`, `${POSTGRES}/keys.test.ts`],
    mistakes: [
      ["WHERE id = :keyId AND simulation = :simulation RETURNING", "WHERE id = :keyId RETURNING"],
      ["simulation_requests + :count >= :last THEN NULL", "simulation_requests >= :last THEN NULL"],
      [":last THEN version + 1", ":last THEN version"],
      ["position <= (last ?? Infinity)", "position > 0"],
      ["- group.length + i + 1", "- group.length + 1"],
    ],
  },
  "src/adapters/sql/keys.ts": {
    tests: [`${SQLITE}/keys.test.ts`, `${POSTGRES}/keys.test.ts`, `${SQLITE}/operators.test.ts`],
    mistakes: [
      ["CASE WHEN expires_at < :at THEN expires_at ELSE :at END", ":at"],
      ["CASE WHEN simulation = :simulation THEN simulation_requests ELSE 0 END", "simulation_requests"],
      ["WHERE id = :id AND version = :version", "WHERE id = :id AND :version > 0"],
      ["version },\n        mustChange: true,", "version },", `${SQLITE}/keys.test.ts`, `${SQLITE}/operators.test.ts`],
      ["at },\n        mustChange: true,", "at },"],
      [
        "insertSecret(secret),\n      insertEntry(entry),\n    );\n  }\n\n  replace",
        "insertSecret(secret),\n    );\n  }\n\n  replace",
        `${SQLITE}/operators.test.ts`,
      ],
      [
        "insertSecret(secret),\n      insertEntry(entry),\n    );\n  }\n\n  endGrace",
        "insertSecret(secret),\n    );\n  }\n\n  endGrace",
        `${SQLITE}/operators.test.ts`,
      ],
      ['{ text: "UPDATE petstore.keys SET version = version + 1 WHERE id = :keyId", values: { keyId } },', ""],
    ],
  },
  "src/adapters/sqlite/backup.ts": {
    tests: [`${SQLITE}/backup.test.ts`, "test/commands/database.long.test.ts"],
    mistakes: [
      ["sync(dirname(target));", ""],
      ["rmSync(unfinished, { force: true });", ""],
      ["if (!mayReplace) throw", "if (mayReplace) throw"],
      ["existing.ino === statSync(path).ino && existing.dev === statSync(path).dev", "false"],
    ],
  },
  "src/adapters/sqlite/inspect.ts": {
    tests: ["test/commands/damaged-backup.test.ts", "test/commands/restore.long.test.ts"],
    mistakes: [
      ["if (problem === undefined) return database;", "return database;"],
      ["PRAGMA integrity_check(", "PRAGMA quick_check("],
      ["requirePetstoreFile(database, file);\n    return database;", "return database;"],
    ],
  },
  "src/adapters/sqlite/restore.ts": {
    tests: ["test/commands/database.long.test.ts", "test/commands/restore.long.test.ts"],
    mistakes: [
      ["copyFiles(path, kept);", "[];"],
      ["using _ = lockOutServices(path);", ""],
      ["if (create || wasDatabase) return;", "return;"],
      ["if (wasDatabase) return;", "return;"],
      ["emptyDatabase(path);", "throw error;"],
      ["removeCopies(kept);", ""],
      ["requireOwn(database, file);", ""],
      ["requireOther(source, path);", ""],
    ],
  },
  "src/adapters/sqlite/copied-files.ts": {
    tests: ["test/commands/restore.long.test.ts"],
    mistakes: [
      ['["", "-wal", "-journal"]', '[""]'],
      ["truncateSync(path);", "rmSync(path);"],
    ],
  },
  "src/adapters/sqlite/bulk.ts": {
    tests: [`${SQLITE}/bulk.test.ts`],
    mistakes: [
      ["file.path === IN_MEMORY ? this.#copy(status) : ", ""],
      ['read(() => connection.exec("BEGIN"));', ""],
      ["connection.close();", ""],
      ['status === undefined ? [] : ["status"]', "[]"],
      ["after = last.id;", "after = last.id + 1;"],
      ["if (!this.#haveAll(categories)) return false;", "", `${SQLITE}/category-check.test.ts`],
      ["this.#database.run(insertEntry(entry));", "", "test/adapters/http/admin/import-audit.test.ts"],
    ],
  },
  "src/adapters/sqlite/counters.ts": {
    mistakes: [
      ["this.#database.writeUncached(", "this.#database.write(", `${SQLITE}/keys.test.ts`],
      [" ORDER BY number", " ORDER BY number DESC"],
      ["DO UPDATE SET key_ids = excluded.key_ids WHERE key_ids <> excluded.key_ids", "DO NOTHING"],
      ["        this.#setKeys.run(number, page.keyIds);\n", ""],
      ["find(([id]) => id === keyId)", "find(() => true)"],
      ["calls = calls + excluded.calls", "calls = excluded.calls"],
      ["coalesce(excluded.user_agent, user_agent)", "excluded.user_agent"],
      ["last_used_at = max(last_used_at, excluded.last_used_at)", "last_used_at = excluded.last_used_at"],
    ],
  },
  "src/adapters/sqlite/size.ts": {
    mistakes: [["if (path !== IN_MEMORY)", "if (true)"]],
  },
  "src/adapters/sqlite/file-size.ts": {
    tests: [`${SQLITE}/size.test.ts`],
    mistakes: [
      ["logOf(path)", 'path.concat("-wal")'],
      ["existsSync(path) ? fileSize(path) + fileSize(logOf(path)) : 0", "fileSize(path) + fileSize(logOf(path))"],
      ["existsSync(path) ? statSync(path).size : 0", "statSync(path).size"],
    ],
  },
  "src/adapters/sqlite/limit-page-row.ts": {
    tests: [`${SQLITE}/counters.test.ts`],
    mistakes: [
      ["others.size === 0 ? null", "others.size <= 1 ? null"],
      ["bytes.length !== page.numbers.byteLength", "bytes.length > page.numbers.byteLength"],
      ["new Uint8Array(page.numbers.buffer).set(bytes);", ""],
      ["keyIds.indexOf(id), limitStateIn(state)", "0, limitStateIn(state)"],
    ],
  },
  "src/adapters/sqlite/database.ts": {
    tests: [`${SQLITE}/sql.test.ts`, `${SQLITE}/pets.test.ts`],
    mistakes: [
      ["else this.#savepoint.undo();", "else this.#savepoint.keep();"],
      ["const MAX_SNAPSHOT_AGE = 1;", "const MAX_SNAPSHOT_AGE = 250;"],
      ["this.#inPlaceAt = NEVER;\n    this.refresh();", "this.refresh();", "test/durability/lost-file.long.test.ts"],
      ["const CHECK_EVERY = 1_000;", "const CHECK_EVERY = 60_000;", "test/durability/lost-file.long.test.ts"],
      ["this.#writes.close();", "", `${SQLITE}/group-commit.test.ts`],
      ["this.#ownChanges += 1;", ""],
      [
        "this.#endSnapshot();\n        this.#opened?.requireInPlace();",
        "this.#endSnapshot();",
        `${SQLITE}/opened-file.test.ts`,
      ],
      ["setImmediate(this.#endSnapshot);", "", `${SQLITE}/snapshot.test.ts`],
      ["compiledOnce(sql))", "sql)", `${SQLITE}/compiled-once.test.ts`],
      ["'[^']*'|", "", `${SQLITE}/compiled-once.test.ts`],
      ["[:?]", ":", `${SQLITE}/compiled-once.test.ts`],
    ],
  },
  "src/adapters/sql/schema-versions.ts": {
    tests: [`${SQLITE}/migrations.test.ts`, `${POSTGRES}/migrations.test.ts`],
    mistakes: [
      ["FIRST_VERSION = 26", "FIRST_VERSION = 25"],
      ["version >= FIRST_VERSION", "version > FIRST_VERSION"],
      ["version === 0 || ", ""],
      ["to > version", "to >= version"],
      ["migrations.length - 1", "migrations.length"],
    ],
  },
  "src/adapters/sqlite/migrate.ts": {
    tests: [`${SQLITE}/migrations.test.ts`, `${SQLITE}/file.test.ts`],
    mistakes: [
      ["PRAGMA foreign_keys = OFF; ", ""],
      ["if (version > current) {", "if (version > current + 1) {"],
      ["  requireReleased(version, path);\n", ""],
      ["if (version === 0) return;", "return;"],
      ["if (identityOf(database).version === to) return { from: to, to };", ""],
      ["    rollBack(database);\n", ""],
    ],
  },
  "src/adapters/sqlite/migrate-file.ts": {
    mistakes: [
      ["lockOutServices(file.path) : undefined", "undefined : undefined"],
      ["version < currentVersionFor(file)", "true"],
    ],
  },
  "src/adapters/sqlite/migrations.ts": {
    tests: [`${SQLITE}/schema.test.ts`, `${SQLITE}/counters.test.ts`, `${SQLITE}/keys.test.ts`],
    mistakes: [
      [
        "AFTER INSERT ON pets BEGIN\n  INSERT OR IGNORE",
        "AFTER INSERT ON pets BEGIN\n  INSERT",
        `${SQLITE}/pet-blocks.test.ts`,
      ],
      [
        "new.status <> old.status BEGIN\n  INSERT OR IGNORE INTO pet_blocks VALUES (new.status, new.id >> 5);",
        "new.status <> old.status BEGIN",
        `${SQLITE}/pet-blocks.test.ts`,
      ],
      [
        "AFTER DELETE ON pets BEGIN\n  DELETE FROM pet_blocks WHERE pet_status = old.status AND block = old.id >> 5",
        "AFTER DELETE ON pets BEGIN\n  DELETE FROM pet_blocks WHERE pet_status = old.status AND block = -1",
        `${SQLITE}/pet-blocks.test.ts`,
      ],
      ["WHERE shard < 15)", "WHERE shard < 14)", `${SQLITE}/shop.test.ts`],
      ["(pet_id, status, id)", "(pet_id, id)"],
      ["UPDATE OF search_text, last_fours ON", "UPDATE OF search_text ON"],
      [
        "new.search_text || char(10) || new.last_fours || char(10, 10), new.id",
        "new.search_text || char(10) || new.last_fours, new.id",
      ],
      ["AFTER INSERT ON keys BEGIN UPDATE", "AFTER INSERT ON keys WHEN new.plan <> 'free' BEGIN UPDATE"],
      ["keys = keys - 1", "keys = keys"],
      ["callers = callers + 1,", "callers = callers,"],
      ["calls + excluded.calls", "calls"],
      ["calls + new.calls - old.calls", "calls + new.calls"],
      [" WHERE operation = new.operation", ""],
    ],
  },
  "src/adapters/postgres/migrate.ts": {
    tests: [`${POSTGRES}/database.test.ts`, `${POSTGRES}/migrations.test.ts`],
    mistakes: [
      [
        "return database.withLock(async () => {",
        "const unlocked = (work: () => Promise<{ from: number; to: number }>) => work();\n  return unlocked(async () => {",
      ],
      ["if (from > to) {", "if (from > to + 1) {"],
      ["  requireReleased(from, THIS_DATABASE);\n", ""],
      ["  requireReleased(version, THIS_DATABASE);\n", ""],
      ["  if (from > 0) await requireOwn();\n", ""],
    ],
  },
  "src/adapters/postgres/migrations.ts": {
    tests: [`${POSTGRES}/migrations.test.ts`, `${POSTGRES}/counters.test.ts`],
    mistakes: [
      ["generate_series(0, 15)", "generate_series(0, 14)", `${POSTGRES}/shop.test.ts`],
      [" WHERE NOT EXISTS (SELECT 1 FROM petstore.category_counters)", ""],
      [" WHERE status IN ('placed', 'approved')", "", `${POSTGRES}/shop.test.ts`],
      ["(pet_id, status, id)", "(pet_id, id)", `${POSTGRES}/order-pages.test.ts`],
      ["length(value) - size + 1", "length(value) - size", `${POSTGRES}/keys.test.ts`],
      [", searched) > 0", ", searched) >= 0", `${POSTGRES}/keys.test.ts`],
      ["LIMIT most", "LIMIT 1", `${POSTGRES}/keys.test.ts`],
      ["WHEN 'DELETE' THEN -1", "WHEN 'DELETE' THEN 0"],
      ["VALUES (true, 0) ON CONFLICT DO NOTHING", "VALUES (true, 0) ON CONFLICT (is_only) DO UPDATE SET keys = 0"],
      ["SELECT operation, count(*), sum(calls) FROM added", "SELECT operation, 1, sum(calls) FROM added"],
      ["callers = existing.callers + excluded.callers", "callers = excluded.callers"],
      ["SELECT operation, -calls FROM previous", "SELECT operation, 0 FROM previous"],
      ["WHERE existing.operation = further.operation", ""],
    ],
  },
  "src/adapters/sqlite/transaction.ts": {
    tests: [`${SQLITE}/sql.test.ts`],
    mistakes: [
      ['if (state === "tentative") savepoint.undo();', 'if (state === "tentative") savepoint.keep();'],
      [' || state === "written") throw', ") throw"],
      ["statement.isTentative === true", "false", `${SQLITE}/group-commit.test.ts`],
    ],
  },
  "src/adapters/sqlite/keys.ts": {
    mistakes: [
      ["this.#revisionByOthers = read(() => Number(this.#lastChange.get()?.id ?? 0));", ""],
      ["Number(this.#lastChange.get()?.id ?? 0)", "changesByOthers"],
      ["WHERE key_id = keys.id", "WHERE key_id <> ''", `${SQLITE}/counters.test.ts`],
      [
        `simulation_requests, \${LAST_USED} FROM`,
        "simulation_requests, NULL AS last_used_at FROM",
        `${SQLITE}/counters.test.ts`,
      ],
    ],
  },
  "src/adapters/sqlite/roll-back.ts": {
    tests: [`${SQLITE}/group-commit.test.ts`],
    mistakes: [['database.exec("ROLLBACK");', ""]],
  },
  "src/adapters/sqlite/group-commit.ts": {
    tests: [`${SQLITE}/group-commit.test.ts`, "test/adapters/http/unavailable.test.ts"],
    mistakes: [
      ["else for (const job of jobs) this.#commitSeparately(job);", "else for (const job of jobs) job.failed(error);"],
      ["this.#hooks.beforeAcknowledging();", "", `${SQLITE}/opened-file.test.ts`],
      ["job.deadline <= now", "true"],
      ["if (this.#jobs.length > 0) this.#schedule(RETRY_INTERVAL);", ""],
      ["const WRITE_TIMEOUT = 2_000;", "const WRITE_TIMEOUT = 200;"],
      ["this.#jobs.some(({ isSynced })", "this.#jobs.every(({ isSynced })"],
      ["this.#isSynced = isSynced;", ""],
      ["this.#begin(job.isSynced);", "this.#begin(false);"],
    ],
  },
  "src/adapters/sqlite/opened-file.ts": {
    tests: [`${SQLITE}/opened-file.test.ts`],
    mistakes: [
      ["[path, log, this.#index]", "[path, log]"],
      ["[path, log, this.#index]", "[path, log, path]"],
      ["throw openError(path, error);", "throw error;"],
    ],
  },
  "src/adapters/sqlite/log-files.ts": {
    tests: [`${SQLITE}/opened-file.test.ts`],
    mistakes: [
      ["{realpathSync(path)}-wal", "{path}-wal"],
      ["{realpathSync(path)}-shm", "{path}-shm"],
    ],
  },
  "src/adapters/sqlite/index-file.ts": {
    tests: ["test/durability/lost-file.long.test.ts"],
    mistakes: [["if (!lacksIndex(path) || !isServed(path)) return;", "return;"]],
  },
  "src/adapters/sqlite/high-water-mark.ts": {
    tests: [`${SQLITE}/ids.test.ts`],
    mistakes: [
      ["last >= mark.highest) return mark?.lost", "last > mark.highest) return mark?.lost"],
      ["Math.min(last + 1, mark.lost?.from ?? Infinity)", "last + 1"],
      ["&& mark.boot === BOOT", ""],
      ["Math.max(last, mark.highest, mark.reserved)", "Math.max(last, mark.highest)"],
    ],
  },
  "src/adapters/sqlite/high-water-mark-file.ts": {
    tests: [`${SQLITE}/ids.test.ts`],
    mistakes: [
      ["boot: NO_BOOT", "boot: BOOT"],
      ["lost: this.read()?.lost });", "lost: undefined });"],
      ["Math.max(mark.highest, mark.reserved, highest)", "highest"],
      ["realpathSync(database)", "database"],
    ],
  },
  "src/adapters/sqlite/ids.ts": {
    mistakes: [
      ["if (this.#isRaised && isInPlace) this.#settle();", ""],
      ["this.#isRaised && isInPlace", "this.#isRaised"],
      ["onDisk(() => this.#mark?.record(this.#last));", ""],
      ["this.#mark?.reserve(this.#last + BLOCK)", "this.#mark?.reserve(this.#recorded)"],
      ["this.#isInOrder = bound === last;", "this.#isInOrder = bound !== last;"],
      ["this.#mark?.rememberLost(last);", ""],
      ["if (isCorrupt(error)) return;", ""],
    ],
  },
  "src/adapters/sqlite/remnants.ts": {
    tests: [`${SQLITE}/ids.test.ts`],
    mistakes: [["fileSize(path) > 0", "fileSize(path) >= 0"]],
  },
  "src/adapters/sqlite/open-error.ts": {
    tests: [`${SQLITE}/file.test.ts`, "test/durability/disk-full.long.test.ts", "test/durability/start.long.test.ts"],
    mistakes: [
      ["if (size >= expected)", "if (size < expected)"],
      ["bavail * bsize < INDEX_SIZE", "bavail * bsize > INDEX_SIZE"],
      ["blocks > 0 && ", ""],
    ],
  },
  "src/adapters/sqlite/plain-file.ts": {
    tests: ["test/durability/second-service.long.test.ts"],
    mistakes: [
      ["if (nlink > 1)", "if (nlink > 2)"],
      ["return lines.some(", "return !lines.some("],
      ['unescaped(line.split(" ")[PATH_FIELD] ?? "")', 'line.split(" ")[PATH_FIELD]'],
    ],
  },
  "src/adapters/sqlite/open.ts": {
    tests: [`${SQLITE}/schema.test.ts`, `${SQLITE}/file.test.ts`],
    mistakes: [
      ["PRAGMA synchronous = FULL", "PRAGMA synchronous = NORMAL"],
      ["requireNotLost(file);", "", "test/durability/start-without-file.long.test.ts"],
    ],
  },
  "src/adapters/sqlite/pets.ts": {
    mistakes: [
      ['if (status !== undefined) filters.push({ column: "status", value: status });', ""],
      ["this.#count[status].run();", "", `${SQLITE}/shop.test.ts`],
      ["status, nameKey(name));\n    this", "status, name);\n    this"],
      ["value: nameKey(name) });", "value: name });"],
      ["if (rows.length === limit) break;", "break;", `${SQLITE}/pet-blocks.test.ts`],
    ],
  },
  "src/adapters/sqlite/pets-page.ts": {
    tests: [`${SQLITE}/pets.test.ts`],
    mistakes: [
      ['isDescending ? ["<", ', 'isDescending ? ["<=", '],
      ["{where} AND status = '$", "{where} AND status >= '$"],
      ["{follows}= :after >> 5", "{follows} :after >> 5", `${SQLITE}/pet-blocks.test.ts`],
      ["{direction}, id $", '{"ASC"}, id $', `${SQLITE}/pet-blocks.test.ts`],
      ["block << 5 | 31", "block << 5 | 30", `${SQLITE}/pet-blocks.test.ts`],
    ],
  },
  "src/adapters/sqlite/shop.ts": {
    tests: [`${SQLITE}/pet-blocks.test.ts`],
    mistakes: [
      ['yield { text: "DELETE FROM pet_blocks", values: {} };', ""],
      ["yield { text: String(trigger?.sql), values: {} };", ""],
    ],
  },
  "src/adapters/sqlite/lock-file.ts": {
    tests: ["test/durability/second-service.long.test.ts"],
    mistakes: [["BEGIN EXCLUSIVE", "BEGIN"]],
  },
  "src/adapters/sqlite/usage.ts": {
    mistakes: [
      ["WHERE number < excluded.number", "WHERE number <= excluded.number"],
      ["this.#pruneWriters(),", ""],
      ["resolution = ? AND at < ? LIMIT ?", "resolution = ? AND at <= ? LIMIT ?"],
      ["limited = limited + excluded.limited", "limited = excluded.limited"],
      ["AND who > '*' AND who < '+'", "AND who >= '*' AND who < '+'"],
      ["AND who = ? AND operation <> 'simulated' GROUP BY who", "AND who = ? GROUP BY who"],
      ["DESC LIMIT ?", "LIMIT ?"],
    ],
  },
  "src/adapters/postgres/batches.ts": {
    tests: [`${POSTGRES}/pets.test.ts`, `${POSTGRES}/batches.test.ts`],
    mistakes: [
      ["this.#running -= 1;", ""],
      ["maxRunning = 2,", "maxRunning = 200,", `${POSTGRES}/batches.test.ts`],
      ["this.#waiting.splice(0, this.#maxSize)", "this.#waiting.splice(0)", `${POSTGRES}/batches.test.ts`],
      [
        "for (const { reject } of [...jobs, ...this.#waiting.splice(0)]) reject(error);",
        "for (const { reject } of jobs) reject(error);",
        `${POSTGRES}/batches.test.ts`,
      ],
    ],
  },
  "src/adapters/postgres/bulk.ts": {
    tests: [`${POSTGRES}/bulk.test.ts`],
    mistakes: [
      ["REPEATABLE READ READ ONLY", "READ COMMITTED READ ONLY"],
      ["await session.end();", ""],
      ["OR status = $3", "OR status <> $3"],
      ["all: ids.length }, mustChange: true", "all: ids.length }", `${POSTGRES}/category-check.test.ts`],
      ["HAVING count(*) = :all", "HAVING count(*) > 0", `${POSTGRES}/category-check.test.ts`],
      ["name_key: nameKey(name),", "name_key: name,", `${POSTGRES}/category-check.test.ts`],
      ["      insertEntry(entry),\n", ""],
      ["count(countByStatus(rows)),", ""],
    ],
  },
  "src/adapters/postgres/counters.ts": {
    mistakes: [
      ["greatest(keys.last_used_at, used.at)", "used.at"],
      ["calls = existing.calls + excluded.calls", "calls = excluded.calls"],
      ["if (removed.length > 0) await", "if (removed.length > 1) await"],
      ["    states.drain();\n", ""],
    ],
  },
  "src/adapters/postgres/database.ts": {
    mistakes: [
      ["if (rowCount === 0 && mustChange) {", "if (false) {", `${POSTGRES}/sql.test.ts`],
      ["tries === MAX_TRIES) throw", "tries === 2) throw"],
      ["connections(forClients, REQUEST)", "connections(forClients, OPERATOR)", `${POSTGRES}/connections.test.ts`],
      ["connections(forClients, REQUEST)", "connections(size, REQUEST)", `${POSTGRES}/connections.test.ts`],
      ["this.#hosts.failOver(host);", ""],
    ],
  },
  "src/adapters/postgres/transaction.ts": {
    tests: [`${POSTGRES}/sql.test.ts`, `${POSTGRES}/shop.test.ts`],
    mistakes: [
      ['if (!isConnectionLost(error)) await client.query("ROLLBACK");', ""],
      ['sent.push(client.query("COMMIT"));', 'sent.push(client.query("ROLLBACK"));'],
    ],
  },
  "src/adapters/postgres/connections.ts": {
    mistakes: [
      ['if (rows[0]?.read_only === "on") throw', 'if (rows[0]?.read_only === "") throw'],
      [".release(isConnectionLost(error))", ".release(true)"],
      ["SET statement_timeout", "SET application_name"],
      ["if (isPooled) this.#pooled.add(client);", "if (isPooled) return;", `${POSTGRES}/pooler.long.test.ts`],
      ["of [begun, result, committed])", "of [begun, result])", `${POSTGRES}/pooler.long.test.ts`],
      ["this.#hosts.failOver(host);", "", `${POSTGRES}/database.test.ts`],
    ],
  },
  "src/adapters/postgres/hosts.ts": {
    tests: [`${POSTGRES}/database.test.ts`],
    mistakes: [["this.#urls[this.#current] ??", "this.#urls[0] ??"]],
  },
  "src/adapters/postgres/timeouts.ts": {
    tests: [`${POSTGRES}/database.test.ts`],
    mistakes: [
      ["const MAX_IDLE = 2_000;", "const MAX_IDLE = 0;"],
      ["lock: 800, statement: 1_000", "lock: 0, statement: 1_000", `${POSTGRES}/pooler.long.test.ts`],
      ["SET LOCAL statement_timeout", "SET statement_timeout", `${POSTGRES}/pooler.long.test.ts`],
    ],
  },
  "src/adapters/postgres/idempotent-creations.ts": {
    tests: [`${POSTGRES}/pets.test.ts`, `${POSTGRES}/shop.test.ts`],
    mistakes: [
      ["existing.created_at <= excluded.created_at -", "existing.created_at < excluded.created_at -"],
      ["known.created_at > requested.created_at -", "known.created_at >= requested.created_at -"],
      ["request = excluded.request, created_id", "created_id"],
      ["requireSameRequest(first, petRequest(pet));", ""],
      ["nameKey(pet.name)", "pet.name"],
      ["pet.status ?? DEFAULT_STATUS", "DEFAULT_STATUS"],
      ["      anyShard(),\n", "      16,\n"],
    ],
  },
  "src/adapters/postgres/count-added.ts": {
    tests: [`${POSTGRES}/shop.test.ts`],
    mistakes: [[" WHERE status = '$", " WHERE status >= '$"]],
  },
  "src/adapters/postgres/pets.ts": {
    mistakes: [
      [
        "added.toSorted((a, b) => b.id - a.id)",
        "added.toSorted((a, b) => a.id - b.id)",
        `${POSTGRES}/equal-pets.test.ts`,
      ],
      ["ids.map((id) => byId.get(id))", "[...byId.values()]"],
      ["=> nameKey(name)),", "=> name),"],
      ["      anyShard(),\n", "      16,\n", `${POSTGRES}/shop.test.ts`],
      [
        "if (this.rules.checksCategories) return super.createIdempotently(pet, key);",
        "",
        `${POSTGRES}/category-check.test.ts`,
      ],
    ],
  },
  "src/adapters/postgres/locked-pets.ts": {
    tests: [`${POSTGRES}/pets.test.ts`, `${POSTGRES}/shop.test.ts`],
    mistakes: [
      [" FOR UPDATE SKIP LOCKED", ""],
      ["nameKey(name)", "name"],
      ["is.pending - was.pending", "is.pending"],
    ],
  },
  "src/adapters/postgres/orders.ts": {
    tests: [`${POSTGRES}/shop.test.ts`],
    mistakes: [
      ["after.set(pet.id, reserved(pet));", "reserved(pet);"],
      ["placed: accepted.length", "placed: 1"],
    ],
  },
  "src/adapters/postgres/pet-changes.ts": {
    tests: [`${POSTGRES}/pets.test.ts`, `${POSTGRES}/shop.test.ts`],
    mistakes: [
      ["      after.set(pet.id, next);\n", ""],
      ["requirePet(after.get(Number(id)), preconditions)", "requirePet(after.get(Number(id)))"],
      ["holders.get(pet.id)", "undefined"],
    ],
  },
  "src/adapters/postgres/pet-pages.ts": {
    tests: [`${POSTGRES}/pets.test.ts`],
    mistakes: [
      ['isDescending ? "<" : ">"', 'isDescending ? "<=" : ">"'],
      ["nameKey(name))", "name)"],
      ["found[Number(row.number) - 1]", "found[Number(row.number)]"],
      ["[isDescending, ...used", "[...used"],
    ],
  },
  "src/adapters/postgres/sqlstate.ts": {
    tests: [`${POSTGRES}/database.test.ts`],
    mistakes: [
      ['["40001", "40P01"]', '["40001"]'],
      [
        "return sqlstate === undefined || LOST.test(sqlstate);",
        "return sqlstate !== undefined && LOST.test(sqlstate);",
        `${POSTGRES}/connections.test.ts`,
      ],
    ],
  },
  "src/adapters/postgres/usage.ts": {
    mistakes: [
      ["WHERE existing.number < excluded.number", "WHERE existing.number <= excluded.number"],
      ["let deleted = await this.#prune(PRUNE_WRITERS, now - WRITER_RETENTION, limit);", "let deleted = 0;"],
      ["deleted += await this.#prune(PRUNE_LATENCY, before, limit, lengthOf[resolution]);", ""],
      ["AND operation <> 'simulated' GROUP BY who", "GROUP BY who"],
      ["DESC LIMIT $3", "LIMIT $3"],
      [".map(() => lengthOf[resolution])", ".map(() => lengthOf.hour)"],
    ],
  },
  "src/adapters/redis/script.ts": {
    tests: [`${REDIS}/script.test.ts`, `${REDIS}/ends.test.ts`],
    mistakes: [
      ["if ban then over = math.max(over, ban.untilSecond + 86400) end", "", `${REDIS}/ends.test.ts`],
      ["math.max(0, over * 1000 - now) + 600000", "math.max(0, over * 1000 - now)", `${REDIS}/ends.test.ts`],
      ["now - full.refusedAt >= 2000", "now - full.refusedAt > 2000"],
      ["pair[1] > second - 600 and", "pair[1] >= second - 600 and"],
      ["if ban and pardonedAt > 0 and ban.since <= pardonedAt then ban = nil end", ""],
      ["now < (ban.untilSecond + 86400) * 1000", "now <= (ban.untilSecond + 86400) * 1000", `${REDIS}/ends.test.ts`],
      ["day.resetAt >= minute.resetAt)", "day.resetAt > minute.resetAt)", `${REDIS}/ends.test.ts`],
      ["left > 0 and left <= (seconds + 5) * 1000", "left > 0", `${REDIS}/ends.test.ts`],
      ["local day = window(kept[4], kept[5], kept[6], 86400)", "local day = window(kept[4], kept[5], nil, 86400)"],
      ["(kept[3] or kept[6] or", "(kept[3] or"],
    ],
  },
  "src/adapters/redis/connect.ts": {
    tests: [`${MEMORY}/fallback-limiter.test.ts`],
    mistakes: [
      ['message.includes("READONLY")', 'message === ""'],
      ["Promise.race([connection.connect(), silence])", "connection.connect()", "test/nodes/sentinel.long.test.ts"],
    ],
  },
  "src/adapters/redis/limiter.ts": {
    mistakes: [
      ["begins: begins === 1", "begins: true"],
      ["Number(microseconds) / 1_000)", "Number(microseconds) / 1_000_000)", `${REDIS}/script.test.ts`],
    ],
  },
  "src/adapters/files/lines.ts": {
    mistakes: [
      ["if (piece.length > room) this.#isTooLong = true;", "if (piece.length >= room) this.#isTooLong = true;"],
      ["this.#number === 1 ? withoutMark(whole) : whole", "whole"],
      ["this.#isTooLong = false;\n    return line;", "return line;"],
    ],
  },
  "src/adapters/files/csv.ts": {
    mistakes: [
      ["if (fields.length !== header.length) {", "if (fields.length > header.length) {"],
      ["(signedInt64(cell) ?? cell)", "BigInt(cell)"],
      ["const PLAIN_DIGITS = /^(?:0|-?[1-9]", "const PLAIN_DIGITS = /^(?:-?0|-?[1-9]"],
      ["if (missing.length > 0) {", "if (missing.length > 1) {"],
      ["if (repeated !== undefined) throw", "if (repeated === '') throw"],
    ],
  },
  "src/adapters/files/csv-records.ts": {
    tests: ["test/adapters/files/csv.test.ts"],
    mistakes: [
      [" || this.#open.length > MAX_LINES", ""],
      [" || this.#openSize > this.#maxBytes", ""],
      [" || record.fields.length !== this.#width", ""],
      [", ...this.take(others)", ""],
      ["while (this.#open.length > 0) records.push(...this.#giveUp());", ""],
      [`quoted?.replaceAll('""', '"') ??`, "quoted ??"],
    ],
  },
  "src/adapters/files/formula.ts": {
    tests: ["test/adapters/files/csv.test.ts"],
    mistakes: [["/^'*[=", "/^[="]],
  },
  "src/adapters/files/small-chunks.ts": {
    mistakes: [
      ["at + MAX_BYTES)", "at + MAX_BYTES - 1)"],
      ["const MAX_BYTES = 1_024;", "const MAX_BYTES = 65_536;"],
      ["if (performance.now() >= due) await nextTurn();", ""],
      ["await pause(due - performance.now());", "break;"],
      ["const due = began + bytes / MOST_PER_MS;", "const due = began;"],
      ["bytes = 0;\n    }", "}"],
    ],
  },
  "src/adapters/files/output.ts": {
    mistakes: [
      ["if (isRegular) rmSync(target, { force: true });", ""],
      ["isRegular ? `", "!isRegular && !path ? `"],
    ],
  },
  "src/adapters/sql/shop.ts": {
    tests: [`${SQLITE}/shop-store.test.ts`],
    mistakes: [
      ['yield { text: "DELETE FROM petstore.idempotency_keys", values: {} };', ""],
      ["Number(row?.last_version) + 1", "Number(row?.last_version)"],
      ["SET name_key = :mark || CAST(id AS TEXT), version = 0", "SET version = 0"],
      ['yield { text: "DELETE FROM petstore.categories WHERE version = 0", values: {} };', ""],
      ["-removed[status]", "0"],
      ["yield insertEntry(entry);", ""],
      ["pet_id: Number(petIds[pet]),", "pet_id: pet + 1,"],
      ["start += CHUNK", "start += CHUNK + 1"],
      ["status = DEFAULT_STATUS }) => ({", 'status = "sold" }) => ({'],
      ["    name_key: nameKey(name),\n", "    name_key: name,\n"],
    ],
  },
  "src/adapters/postgres/shop.ts": {
    tests: [`${POSTGRES}/shop-store.test.ts`],
    mistakes: [
      ["for (const [status, count] of Object.entries(late)) removed[status] = (removed[status] ?? 0) + count;", ""],
      ['...(yield* remove("pets"))', ""],
    ],
  },
};
