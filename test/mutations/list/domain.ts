import type { Mistakes } from "../mutant.ts";

const ADMIN = "test/adapters/http/admin";

export const domain: Mistakes = {
  "src/domain/backups/schedule.ts": {
    tests: ["test/domain/backups/schedule.test.ts"],
    mistakes: [
      ["find(({ at }) => at <= now)", "find(() => true)"],
      ["latest > now || now - latest >= every", "now - latest >= every"],
      ["now - latest >= every", "now - latest > every"],
      ['cause === "schedule"', "true"],
      ["Number(a.at > now) - Number(b.at > now) || b.at - a.at", "b.at - a.at"],
    ],
  },
  "src/domain/backups/backup.ts": {
    tests: ["test/domain/backups/schedule.test.ts"],
    mistakes: [
      ["if (of !== deployment) return undefined;", ""],
      ["success && data.name === name", "success"],
    ],
  },
  "src/domain/simulation/simulation.ts": {
    tests: ["test/domain/simulation/simulation.test.ts"],
    mistakes: [
      ["Number(value) <= MAX_DELAY", "Number(value) < MAX_DELAY"],
      ["export const MAX_DELAY = 30_000;", "export const MAX_DELAY = 30_001;"],
      ["if (now >= MIN_TIME && now <= MAX_TIME)", "if (now <= MAX_TIME)"],
      ["name in read && name in simulation", "false"],
      ["if (code !== undefined && cut !== undefined)", "if (false)"],
      ["if (code !== undefined && now !== undefined)", "if (false)"],
      ['if (cut === "disconnect" && now !== undefined)', "if (false)"],
      ['filter((part) => part !== undefined).join(", ")', 'filter((part) => part !== undefined).join(",")'],
    ],
  },
  "src/domain/simulation/limited.ts": {
    tests: ["test/domain/simulation/limited.test.ts"],
    mistakes: [
      ["minute.count = limits.perMinute", "day.count = limits.perDay"],
      ["day.count = limits.perDay", "minute.count = limits.perMinute"],
    ],
  },
  "src/domain/usage/point.ts": {
    tests: ["test/adapters/http/simulation.test.ts"],
    mistakes: [["if (operation === SIMULATED) {", "if (false) {"]],
  },
  "src/domain/awaitable.ts": {
    mistakes: [["result.catch(handle)", "result"]],
  },
  "src/domain/limits/window.ts": {
    tests: ["test/domain/limits"],
    mistakes: [
      ["left > 0 &&", "left >= 0 &&"],
      ["left <= (seconds + SLACK)", "left < (seconds + SLACK)"],
      ["const SLACK = 5;", "const SLACK = 6;"],
      ["resetAt: Math.floor(now / 1000) + seconds", "resetAt: Math.ceil(now / 1000) + seconds"],
      ["Math.max(1, Math.ceil(", "Math.max(0, Math.ceil("],
      ["Math.ceil(resetAt - now", "Math.round(resetAt - now"],
    ],
  },
  "src/domain/limits/shared-count.ts": {
    tests: ["test/adapters/socket/limiter.test.ts", "test/adapters/socket/sharing-limiter.test.ts"],
    mistakes: [
      ["day: { ...day, count: day.count + taken },", "day,"],
      ['decision.outcome === "allowed" && isSame', 'decision.outcome === "allowed"'],
      ['decision.outcome === "allowed" && isSame', "isSame"],
    ],
  },
  "src/domain/limits/share.ts": {
    tests: ["test/domain/limits"],
    mistakes: [
      ["Math.floor(limit / nodes)", "Math.ceil(limit / nodes)"],
      ["Math.max(1,", "Math.max(0,"],
    ],
  },
  "src/domain/limits/single-window.ts": {
    tests: ["test/adapters/memory/minute-limiter.test.ts"],
    mistakes: [
      ["window.count < limit", "window.count <= limit"],
      ["count: window.count + 1 } : window", "count: window.count } : window"],
      ["quotasOf(current(before, MINUTE, now)", "quotasOf(before ?? current(before, MINUTE, now)"],
    ],
  },
  "src/domain/limits/limit-page.ts": {
    tests: ["test/domain/limits/limit-states.test.ts"],
    mistakes: [
      ["    this.#keyIdsText = undefined;\n", ""],
      ["this.numbers[place * NUMBERS] = NONE;\n      this.others.set", "this.others.set"],
      ["if (this.others.size > 0) this.others.delete(this.keyAt(place));", "", "test/adapters/sqlite/counters.test.ts"],
      ["this.numbers[place * NUMBERS] = NONE;\n    this.others.delete", "this.others.delete"],
      ["NONE;\n    this.others.delete(this.keyAt(place));", "NONE;"],
      [".fill(NONE)", ""],
      ["resetAt: numbers[at + 3] ?? 0", "resetAt"],
      [" || !fits(state.minute)", ""],
      [" || !fits(state.day)", ""],
    ],
  },
  "src/domain/limits/limit-states.ts": {
    mistakes: [
      ["while (this.#pages.length < number) this.#addPage(new LimitPage());", ""],
      ["    this.#freeClearedPlaces();\n    const", "    const"],
      ["      isChanged[place] = 0;\n", ""],
      ["for (const place of places) this.#isChanged[place] = 1;", ""],
      ["this.#isChanged[place] = 1;\n    this.#cleared.add(place);", "this.#cleared.add(place);"],
      ["    this.#cleared.add(place);\n", ""],
      ["grown.set(this.#isChanged);", ""],
      ["if (this.#isChanged[place] === 1) continue;", ""],
      ["      this.#cleared.delete(place);\n", ""],
      ["if (this.#pageOf(place).get(place % KEYS_PER_PAGE) !== undefined) continue;", ""],
      ["      this.#places.delete(this.idAt(place));\n", ""],
      ["if (page.get(place % KEYS_PER_PAGE) === undefined) this.#free(place);\n      else", ""],
      ['this.#pageOf(place).assign(place % KEYS_PER_PAGE, "");', ""],
    ],
  },
  "src/domain/limits/limit-state.ts": {
    tests: ["test/domain/limits"],
    mistakes: [
      ["banState === undefined && minute.refusedAt", "minute.refusedAt"],
      ["minute.refusedAt === undefined && ", ""],
      [" && day.refusedAt === undefined", ""],
      ["minute.count >= limits.perMinute", "minute.count > limits.perMinute"],
      ["day.count >= limits.perDay", "day.count > limits.perDay"],
      ["day.resetAt >= minute.resetAt", "day.resetAt > minute.resetAt"],
      ["(!isMinuteFull || day.resetAt", "(isMinuteFull || day.resetAt"],
      ["day: withOneMore(day) }]", "day }]"],
      ["day: { ...day, refusedAt } }", "day }"],
      ["{ minute: { ...minute, refusedAt }, day }", "{ minute, day }"],
      ["a.remaining < b.remaining ? a : b", "a.remaining > b.remaining ? a : b"],
      ["a.resetAt > b.resetAt ? a : b", "a.resetAt < b.resetAt ? a : b"],
      ["now >= state.minute.resetAt * 1000 && isForgotten", "isForgotten"],
      ["isForgotten(state.banState, now);", "true;"],
      ["begins: banAt(banState, now) === undefined", "begins: true"],
      ["remaining: Math.max(0, limit - window.count)", "remaining: limit - window.count"],
      ['outcome === "quota_exceeded" ? byDay : byMinute', "byMinute"],
      ["remaining.strikes.length === 0 && remaining.ban === undefined", "remaining.ban === undefined"],
    ],
  },
  "src/domain/limits/take-in-place.ts": {
    tests: ["test/domain/limits/take-in-place.test.ts"],
    mistakes: [
      ["banState !== undefined || ", ""],
      ["!isCurrent(minute, MINUTE, now) || ", ""],
      [" || !isCurrent(day, DAY, now)", ""],
      ["minute.count >= limits.perMinute", "minute.count > limits.perMinute"],
      ["day.count >= limits.perDay", "day.count > limits.perDay"],
      ["minute.count += 1;", ""],
      ["day.count += 1;", ""],
    ],
  },
  "src/domain/limits/limit-status.ts": {
    tests: ["test/domain/limits"],
    mistakes: [
      ["withPardon(state?.banState, pardonedAt)", "state?.banState"],
      ["open === known ? open.resetAt : undefined", "open.resetAt"],
      ["Math.max(0, limit - open.count)", "limit - open.count"],
    ],
  },
  "src/domain/limits/ban.ts": {
    tests: ["test/domain/limits"],
    mistakes: [
      ["now - refusedAt >= BURST_GRACE", "now - refusedAt > BURST_GRACE"],
      ["const BURST_GRACE = 2_000;", "const BURST_GRACE = 1_000;"],
      ["at > second - STRIKE_LIFETIME && at < second", "at >= second - STRIKE_LIFETIME && at < second"],
      ["Math.max(MIN_STRIKES, perMinute)", "MIN_STRIKES"],
      ["total < Math.max", "total <= Math.max"],
      ["now < (last.until + ESCALATION_PERIOD) * 1000", "now <= (last.until + ESCALATION_PERIOD) * 1000"],
      ["Math.min(last.step + 1, BAN_DURATIONS.length - 1)", "last.step + 1"],
      ["until: Math.ceil(now / 1000)", "until: Math.floor(now / 1000)"],
      ["at > oldest ? sum + count : sum", "at >= oldest ? sum + count : sum"],
      ["second * 1000 > pardonedAt", "second * 1000 >= pardonedAt"],
      ["banState.ban.since > pardonedAt", "banState.ban.since >= pardonedAt"],
      ["ban !== undefined && now < ban.until * 1000", "ban !== undefined && now <= ban.until * 1000"],
      ["lastStrike > now / 1000 - STRIKE_LIFETIME", "lastStrike > now / 1000"],
      ["now >= (banState.ban.until + ESCALATION_PERIOD) * 1000;", "now >= banState.ban.until * 1000;"],
      ["{ strikes, ...(last && { ban: last }) }", "{ strikes }"],
    ],
  },
  "src/domain/limits/plans.ts": {
    tests: ["test/domain/limits/boundaries.test.ts"],
    mistakes: [
      ["perDay: 10_000 }", "perDay: 1_000 }"],
      ["business: { perMinute: 1_000", "business: { perMinute: 1_001"],
    ],
  },
  "src/domain/keys/key.ts": {
    mistakes: [
      ["now >= expiresAt) return", "now > expiresAt) return"],
      ["now >= key.revokedAt", "now > key.revokedAt"],
      ['key.disabledAt === undefined ? undefined : "disabled_api_key"', "undefined"],
      ["Math.min(key.expiresAt ?? Infinity, secret.expiresAt", "Math.max(key.expiresAt ?? 0, secret.expiresAt"],
    ],
  },
  "src/domain/keys/state.ts": {
    tests: ["test/domain/keys"],
    mistakes: [
      ["now >= expiresAt", "now > expiresAt"],
      ['if (disabledAt !== undefined) return "disabled";', ""],
    ],
  },
  "src/domain/keys/secret.ts": {
    mistakes: [
      ["256 - (256 % ALPHABET.length)", "256"],
      ["(live|stag|oper|sess|link)_[0-9A-Za-z_]+|", "(live|stag|oper|sess)_[0-9A-Za-z_]+|"],
      ["|(live|stag|oper|sess|link)_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}/g", "/g"],
      ["if (!SECRET_FORM.test(text) || !text.startsWith(prefix)) return false;", ""],
      ["checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH)", "true"],
      ["if (checksumOf(body) !== text.slice(-CHECKSUM_LENGTH))", "if (body === '')"],
    ],
  },
  "src/domain/keys/activity.ts": {
    mistakes: [
      ["Math.max(at, activity.lastUsed.get(id) ?? 0)", "at"],
      ["more.lastCalledAt < sum.lastCalledAt", "more.lastCalledAt > sum.lastCalledAt"],
      ['plain.replace(SECRET_LIKE, "[key]").trim()', "plain.trim()"],
      ["text.slice(0, MAX_USER_AGENT_LENGTH).toWellFormed()", "text.slice(0, MAX_USER_AGENT_LENGTH)"],
    ],
  },
  "src/domain/keys/audited-changes.ts": {
    tests: ["test/domain/keys/administration.test.ts"],
    mistakes: [
      ["if (isSame(before, after)) return before;", ""],
      [
        "if (await this.#store.replace(after, version, entry)) return after;",
        "await this.#store.replace(after, version, entry); return after;",
      ],
      ["...(before && { before: snapshotOf(before) }),", "", "test/adapters/http/admin/audit.test.ts"],
    ],
  },
  "src/domain/keys/administration.ts": {
    tests: ["test/domain/keys/administration.test.ts"],
    mistakes: [
      ["now >= key.expiresAt) {", "now > key.expiresAt) {"],
      [
        "key.revokedAt === undefined ? { ...withoutSimulation(key), revokedAt: now } : key",
        "({ ...withoutSimulation(key), revokedAt: now })",
      ],
      ["...withoutSimulation(key), revokedAt", "...key, revokedAt", `${ADMIN}/simulations.test.ts`],
      ['if (this.#deployment !== "staging") {', "if (false) {", `${ADMIN}/simulations.test.ts`],
      ["refusePast(expiresAt, now);", ""],
      ["refusePast(change.expiresAt ?? undefined, now);", ""],
      [
        "await this.#store.addSecret(stored, now + grace, entry);",
        "await this.#store.addSecret(stored, now, entry);",
        "test/adapters/http/admin/rotation.test.ts",
      ],
    ],
  },
  "src/domain/simulation/schedule.ts": {
    tests: ["test/domain/simulation/schedule.test.ts"],
    mistakes: [
      ["position <= schedule.next", "position < schedule.next"],
      ["position % schedule.every === 0", "position % schedule.every === 1"],
      ["< schedule.percent / 100", "> schedule.percent / 100"],
      ["randomAt(schedule.seed, position)", "randomAt(0, position)"],
      ["if (seed !== undefined && percent === undefined)", "if (false)"],
      ["if (given.length > 1)", "if (given.length > 2)"],
    ],
  },
  "src/domain/random.ts": {
    tests: ["test/domain/simulation/schedule.test.ts", "test/domain/shop/sample-shop.test.ts"],
    mistakes: [
      ["mixed ^ (mixed >>> 7)", "mixed"],
      ["randomAt(seed, ++position)", "randomAt(seed, position)"],
    ],
  },
  "src/domain/simulation/script.ts": {
    mistakes: [["return simulationText(simulation);", "return text;"]],
  },
  "src/domain/keys/rehearsal.ts": {
    tests: ["test/adapters/http/key-simulations.test.ts"],
    mistakes: [
      ["position !== undefined && applies", "applies", "test/domain/keys/rehearsal.test.ts"],
      ["&& applies(schedule, position) ?", "?"],
    ],
  },
  "src/domain/keys/change.ts": {
    tests: ["test/domain/keys/administration.test.ts"],
    mistakes: [
      ["expiresAt < now) throw", "expiresAt <= now) throw"],
      ["disabledAt: disabledAt ?? now", "disabledAt: now"],
      ["(change ?? undefined)", "(change ?? field)"],
      ["[name, owner && ownerText(owner), note,", "[name, note,", "test/adapters/http/admin/key-owners.test.ts"],
      ["ownerText(owner), note, plan,", "ownerText(owner), plan,", "test/adapters/http/admin/key-owners.test.ts"],
      ['? "key.enable" : "key.disable"', '? "key.disable" : "key.enable"'],
      ['if (after.disabledAt === before.disabledAt) return "key.update";', ""],
      ["pardonedAt, simulation]);", "pardonedAt]);", `${ADMIN}/simulations.test.ts`],
    ],
  },
  "src/domain/keys/owner.ts": {
    tests: ["test/domain/keys/owner.test.ts"],
    mistakes: [
      ["text.length <= MAX_EMAIL_LENGTH", "text.length < MAX_EMAIL_LENGTH"],
      ["isName(text) && ownerNamePattern.test(text)", "isName(text)"],
      ["if (email !== undefined && !isEmail(email)) return undefined;", ""],
      ["if (!isOwnerName(name)) return undefined;", ""],
      ["owner.email.toLowerCase()", "owner.email"],
      ['name.normalize("NFC").toLowerCase()', "name.toLowerCase()"],
      ['const NO_OWNER = "~";', 'const NO_OWNER = "";'],
      ["isSingleLine(text, MAX_NOTE_LENGTH)", "text.length <= MAX_NOTE_LENGTH"],
    ],
  },
  "src/domain/operators/administration.ts": {
    tests: ["test/domain/operators"],
    mistakes: [
      [
        'newOperator(name, "admin", now)',
        'newOperator(name, "viewer", now)',
        "test/adapters/http/admin/first-operator.test.ts",
      ],
      ["return isFirst ? { operator", "return true ? { operator", "test/adapters/http/admin/first-operator.test.ts"],
      ["return operator?.revokedAt === undefined ? operator : undefined;", "return operator;"],
      ["found === undefined || found.operator.revokedAt !== undefined", "found === undefined"],
      ["return isValid(found.session, now) ? found : undefined;", "return found;"],
      ["if (current?.revokedAt !== undefined) return current;", ""],
    ],
  },
  "src/domain/operators/operator.ts": {
    tests: ["test/domain/operators"],
    mistakes: [
      ["now < expiresAt", "now <= expiresAt"],
      ["12 * 3_600_000", "24 * 3_600_000"],
      ["15 * 60_000", "16 * 60_000", "test/adapters/http/admin/first-operator.test.ts"],
    ],
  },
  "src/domain/audit/snapshot.ts": {
    tests: ["test/adapters/http/admin/audit.test.ts"],
    mistakes: [
      ['name.endsWith("At") ?', 'name.endsWith("at") ?'],
      ["isObject(field) ? snapshotOf(field) : field", "field", "test/adapters/http/admin/simulations.test.ts"],
    ],
  },
  "src/domain/int64.ts": {
    tests: ["test/domain/json.test.ts", "test/domain/int64.test.ts"],
    mistakes: [
      [
        "const value = BigInt(text);\n  return value <= INT64_MAX",
        "const value = BigInt(text);\n  return value < INT64_MAX",
      ],
      ["value >= INT64_MIN && value <= INT64_MAX", "value >= INT64_MIN && value < INT64_MAX"],
      ["value >= INT64_MIN && value", "value > INT64_MIN && value"],
      ["last - first + zeros > MAX_DIGITS", "last - first + zeros >= MAX_DIGITS"],
    ],
  },
  "src/domain/json.ts": {
    tests: ["test/domain/json.test.ts"],
    mistakes: [
      ["this.#depth > MAX_DEPTH", "this.#depth >= MAX_DEPTH"],
      ["if (closes) this.#depth -= 1;", ""],
      ['if (!this.#closes("}")) throw INVALID;', 'this.#closes("}");'],
      ['if (!this.#closes("]")) throw INVALID;', 'this.#closes("]");'],
      ["if (this.#next() !== '\"') throw INVALID;", "this.#next();"],
      ['if (!this.#skips(":")) throw INVALID;', 'this.#skips(":");'],
      ["if (!addKey(keys, hash, key)) throw", "if (hash === 0) throw"],
      ["if (other === key) return false", "return false"],
      ["if (item !== undefined) array.push(value);", "array.push(value);"],
      ["if (this.#next() !== undefined) throw INVALID;", ""],
      ["-?(?:0|[1-9]\\d*)", "-?(?:\\d+)"],
      ["} else if (!(code >= SPACE)) throw INVALID;", "} else if (!(code > 0)) throw INVALID;"],
      ["if (letter === undefined) throw INVALID;", ""],
      ["content.replace(ESCAPE, unescaped)", "JSON.parse('\"' + content + '\"')", "test/domain/json-speed.test.ts"],
      ["shape?.member(hash)", "WHOLE", "test/domain/json-speed.test.ts"],
      ['if (key !== "__proto__") object[key] = value;', "if (key) object[key] = value;"],
    ],
  },
  "src/domain/json-shape.ts": {
    tests: ["test/domain/json.test.ts"],
    mistakes: [["item: shapeOf(schema.element)", "item: undefined"]],
  },
  "src/domain/idempotency-key.ts": {
    tests: ["test/adapters/sqlite/pets.test.ts", "test/adapters/http/idempotency.test.ts"],
    mistakes: [
      ["first.request !== request", 'first.request === ""'],
      ["if (this.#keys.has(scopedKey)) refuseInProgress();", ""],
      ["this.#keys.delete(scopedKey);", ""],
      ["{keyId} $", "{key} $"],
      ["LIFETIME = 86_400_000", "LIFETIME = 3_600_000"],
    ],
  },
  "src/domain/entity-tag.ts": {
    tests: ["test/adapters/http/update-pet.test.ts", "test/adapters/http/put-category.test.ts"],
    mistakes: [
      ["if (ifMatch !== undefined &&", "if (ifMatch === undefined &&"],
      ["if (ifNoneMatch !== undefined &&", "if (ifNoneMatch === undefined &&"],
      ['tags === "any" ||', ""],
      ["tag !== undefined && names(tags, tag)", 'names(tags, tag ?? "")'],
    ],
  },
  "src/domain/transition.ts": {
    tests: ["test/adapters/sqlite/pets.test.ts", "test/adapters/sqlite/shop.test.ts"],
    mistakes: [
      ["transitions[from]", "transitions[to]"],
      ["if (allowed.includes(to)) return;", "if (from === to || allowed.includes(to)) return;"],
      ["allowed.length === 0 ?", "allowed.length === 1 ?"],
    ],
  },
  "src/domain/pets/pet.ts": {
    mistakes: [
      ["const MAX_NAME_LENGTH = 255;", "const MAX_NAME_LENGTH = 256;"],
      ["{status} $", "{categoryId} $", "test/adapters/sqlite/pets.test.ts"],
    ],
  },
  "src/domain/lru-map.ts": {
    mistakes: [
      ["once this one is deleted.\n    this.#older.delete(key);", "once this one is deleted."],
      ["if (older !== undefined) this.set(key, older);", ""],
      ["this.#newer = new Map();\n    }", "}"],
      ["this.#newer.delete(key);\n    this.#older.delete(key);", "this.#newer.delete(key);"],
      ["for (const generation of [this.#newer, this.#older]) {", "for (const generation of [this.#newer]) {"],
      ["this.#older.clear();", ""],
    ],
  },
  "src/domain/pets/change.ts": {
    tests: ["test/adapters/sqlite/pets.test.ts", "test/adapters/http/update-pet.test.ts"],
    mistakes: [
      ["categoryId === pet.categoryId && status === pet.status;", "false;"],
      ["name === pet.name &&", ""],
      ['pet.status === "sold" && status !== "sold"', 'status !== "sold"', "test/adapters/sqlite/shop.test.ts"],
      ["categoryId, status, version: pet.version + 1", "categoryId, status, version: pet.version"],
      ["...pet, status, version: pet.version + 1", "...pet, status", "test/adapters/sqlite/shop.test.ts"],
      ["if (status !== pet.status) {", "{"],
      [
        "requireNotReserved(holder);\n    requireTransition",
        "requireTransition",
        "test/adapters/sqlite/shop.test.ts",
        "test/adapters/http/update-pet.test.ts",
      ],
    ],
  },
  "src/domain/pets/transitions.ts": {
    tests: ["test/adapters/sqlite/pets.test.ts"],
    mistakes: [
      ['available: ["pending", "sold"]', 'available: ["pending"]'],
      ['pending: ["available", "sold"]', 'pending: ["sold"]'],
      ['sold: ["available"]', 'sold: ["available", "pending"]'],
    ],
  },
  "src/domain/pets/inventory.ts": {
    tests: ["test/adapters/sqlite/shop.test.ts"],
    mistakes: [["counts[status] += 1;", "counts.available += 1;", "test/adapters/postgres/bulk.test.ts"]],
  },
  "src/domain/orders/change.ts": {
    tests: ["test/adapters/sqlite/shop.test.ts"],
    mistakes: [
      ['delivered: "sold", cancelled: "available"', 'delivered: "sold"'],
      ['holding = ["placed", "approved"]', 'holding = ["placed"]'],
      ['pet.status === "available"', 'pet.status !== "sold"'],
      ["Math.max(now, order.updatedAt)", "now"],
      ["version: order.version + 1", "version: order.version"],
    ],
  },
  "src/domain/orders/transitions.ts": {
    tests: ["test/adapters/sqlite/shop.test.ts"],
    mistakes: [
      ['placed: ["approved", "cancelled"]', 'placed: ["approved", "delivered", "cancelled"]'],
      ['approved: ["delivered", "cancelled"]', 'approved: ["delivered"]'],
      ["delivered: []", 'delivered: ["cancelled"]', "test/adapters/http/update-order.test.ts"],
      ["cancelled: [],", 'cancelled: ["placed"],'],
    ],
  },
  "src/domain/orders/order.ts": {
    tests: ["test/adapters/http/idempotent-creations.test.ts", "test/adapters/sqlite/shop.test.ts"],
    mistakes: [
      ["placeOrder $", "placeOrder "],
      [
        "updatedAt: timestampOf(updatedAt)",
        "updatedAt: timestampOf(createdAt)",
        "test/adapters/http/update-order.test.ts",
      ],
    ],
  },
  "src/domain/categories/category.ts": {
    tests: ["test/adapters/http/put-category.test.ts", "test/adapters/http/create-category.test.ts"],
    mistakes: [
      ["const MAX_NAME_LENGTH = 100;", "const MAX_NAME_LENGTH = 101;"],
      ["createCategory $", "createCategory ", "test/adapters/http/idempotent-creations.test.ts"],
    ],
  },
  "src/domain/pets/name-key.ts": {
    tests: ["test/adapters/http/list-filters.test.ts", "test/domain/pets/name-key.test.ts"],
    mistakes: [
      ['normalize("NFKC")', 'normalize("NFC")'],
      [".toLowerCase()", ""],
      ["const LENGTH = 22;", "const LENGTH = 16;"],
    ],
  },
  "src/domain/single-line.ts": {
    tests: ["test/domain/pets/pet.test.ts"],
    mistakes: [
      ["[...text].length <= maxLength", "text.length <= maxLength"],
      ["!text.isWellFormed()", "false"],
    ],
  },
  "src/domain/pets/listing.ts": {
    tests: [
      "test/adapters/http/list-parameters.test.ts",
      "test/adapters/http/list-pages.test.ts",
      "test/adapters/http/list-ids.test.ts",
    ],
    mistakes: [
      ["default: 20", "default: 25"],
      ["max: 100 }", "max: 101 }"],
      ["MAX_IDS = 100", "MAX_IDS = 101"],
    ],
  },
  "src/domain/usage/range.ts": {
    tests: ["test/adapters/http/admin/usage-range.test.ts"],
    mistakes: [
      ["if (count > MOST_POINTS)", "if (count > MOST_POINTS * 2)"],
      ["if (count > MOST_POINTS)", "if (count >= MOST_POINTS)"],
      ["if (count < 1)", "if (count < 0)"],
    ],
  },
  "src/domain/usage/resolution.ts": {
    tests: ["test/adapters/sqlite/usage.test.ts", "test/adapters/memory/usage-buffer.test.ts"],
    mistakes: [
      ["minute: 30 * DAY", "minute: 3 * DAY"],
      ["hour: 90 * DAY", "hour: 9 * DAY"],
      ["day: 400 * DAY", "day: 365 * DAY"],
      ["(count - 1 - i)", "(count - i)"],
    ],
  },
  "src/domain/usage/tally.ts": {
    tests: ["test/domain/usage/tally.test.ts", "test/adapters/memory/usage-buffer.test.ts"],
    mistakes: [
      ["at < minute + lengthOf.minute", "at <= minute + lengthOf.minute"],
      ["status === 429 ? 2 : 1", "1"],
      ["status >= 500", "status > 500"],
      ["request.decision?.beginsBan ?? false", "request.decision?.outcome === 'key_banned'"],
      ["parts.length === 0 ? first : later", "first"],
      ["tally.byPlan.increment(request.plan, column);", ""],
      ["if (beginsBan) tally.byPlan.increment(request.plan, BANS);", ""],
      ["tally.byPlan.add(more.byPlan);", ""],
      ["i += keyIds.length;", "i += maxKeys;"],
    ],
  },
  "src/domain/usage/cover.ts": {
    tests: ["test/domain/usage/cover.test.ts"],
    mistakes: [
      ["at + lengthOf[one] <= end", "at < end"],
      ["at % lengthOf[one] === 0 &&", ""],
      ['["day", "hour"] as const', '["hour", "day"] as const'],
    ],
  },
  "src/domain/usage/top-keys.ts": {
    tests: ["test/adapters/sqlite/usage.test.ts"],
    mistakes: [
      ['...cover.minute.map((at) => startOf("hour", at))', ""],
      ["countOf(b) - countOf(a)", "countOf(a) - countOf(b)"],
      [".filter((key) => countOf(key) > 0)", ""],
      ["(sums.get(keyId) ?? 0) + count", "count", "test/adapters/sqlite/usage.test.ts"],
      [".sort(([, a], [, b]) => b - a)", ""],
    ],
  },
  "src/domain/usage/plan-counts.ts": {
    tests: ["test/domain/usage/tally.test.ts"],
    mistakes: [
      ['plan ?? "none"', 'plan ?? "free"'],
      ["* this.#columns + column", "* this.#columns"],
    ],
  },
  "src/domain/usage/count-table.ts": {
    tests: ["test/domain/usage/count-table.test.ts"],
    mistakes: [
      ["grown.set(this.#counts);", ""],
      ["if (offset >= this.#counts.length) this.#grow();", ""],
    ],
  },
  "src/domain/usage/roll-up.ts": {
    tests: ["test/domain/usage/tally.test.ts", "test/adapters/memory/usage-buffer.test.ts"],
    mistakes: [
      ["keyId !== ANONYMOUS", "keyId === keyId"],
      ["table.sumOf(keyIds)", "table.sumOf(keyIds.slice(1))"],
    ],
  },
  "src/domain/usage/overview.ts": {
    tests: ["test/adapters/sqlite/usage.test.ts"],
    mistakes: [
      ["at >= start", "at > 0"],
      ["points.slice(-count)", "points"],
      ["row.resolution === resolution", "true"],
    ],
  },
  "src/domain/usage/latency.ts": {
    mistakes: [
      ["rank <= count", "rank < count"],
      ["Math.min(BUCKETS - 1,", "Math.min(BUCKETS,"],
    ],
  },
  "src/domain/shop/sample-shop.ts": {
    mistakes: [
      ['status === "placed" ? createdAt : processed', "processed"],
      ["Math.min(MAX_PROCESSING, now - createdAt)", "MAX_PROCESSING"],
      ["orders.toSorted((a, b) => a.createdAt - b.createdAt)", "orders"],
      ["shuffled(named, random)", "named"],
    ],
  },
  "src/domain/shop/administration.ts": {
    tests: ["test/adapters/http/admin/staging-reset.test.ts"],
    mistakes: [
      ['if (this.#deployment === "staging") return;', "return;"],
      ["after: counts,", ""],
    ],
  },
};
