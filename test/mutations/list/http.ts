import type { Mistakes } from "../mutant.ts";

const HTTP = "test/adapters/http";

export const http: Mistakes = {
  "src/adapters/http/simulation.ts": {
    tests: [`${HTTP}/simulation.test.ts`, `${HTTP}/simulated-cuts.test.ts`],
    mistakes: [
      ['if (services.deployment === "production") throw notOnProduction();', ""],
      [
        "if (text === null) return services.simulationOf?.(key);",
        "if (text === null) return undefined;",
        `${HTTP}/key-simulations.test.ts`,
      ],
      ["if (now !== undefined) requireValid(context, secret, now, services);", ""],
      ['if (cut === "disconnect") return new Response(null, { status: NO_RESPONSE });', ""],
      ["return cutAt === undefined ? response : cut(context.connection);", "return response;"],
      ["if (response.status < 400) response.headers", "response.headers"],
    ],
  },
  "src/adapters/opentelemetry/collector-exporter.ts": {
    tests: [`${HTTP}/traces.test.ts`],
    mistakes: [["this.#isFailing = false;", ""]],
  },
  "src/adapters/opentelemetry/tracing.ts": {
    tests: [`${HTTP}/traces.test.ts`],
    mistakes: [
      ["if (simulation !== undefined) span", "if (false) span"],
      [" && simulation?.code === undefined", ""],
    ],
  },
  "src/adapters/http/delays.ts": {
    tests: [`${HTTP}/delays.test.ts`, `${HTTP}/simulated-delays.test.ts`],
    mistakes: [
      ["if (this.#taken >= MOST)", "if (false)"],
      ["if (places >= MOST_OF_KEY)", "if (false)"],
      ["this.#places.get(keyId) ?? 0;\n    if (this.#taken", "0;\n    if (this.#taken"],
      ["this.#taken -= 1;", ""],
      ["if (places > 1) this.#places.set(keyId, places - 1);", "if (true);"],
      ["for (const end of this.#ends) end();", ""],
      ['request.signal.addEventListener("abort", () => end(), { once: true });', ""],
      ["connection.allowPause(milliseconds);", ""],
      ["connection.allowPause(0);", ""],
      ["if (this.#stopping.aborted || request.signal.aborted) end();", ""],
    ],
  },
  "src/adapters/http/simulated-refusal.ts": {
    tests: [`${HTTP}/simulated-codes.test.ts`, `${HTTP}/simulation.test.ts`],
    mistakes: [
      ["{ ...context, key: { ...key, scopes: [] } }", "context"],
      ['if (route.allowed.length === 0) headers.Allow = "";', "if (false);"],
      ['requireTransition("A pet", petTransitions, "sold", "pending");', ""],
      ["throw removed(route.operation, route.params, baseUrl);", ""],
      ['["X-Request-Id", "Petstore-Simulated"]', '["X-Request-Id"]'],
      [', error="insufficient_scope"', ""],
    ],
  },
  "src/adapters/http/refused-example.ts": {
    tests: [`${HTTP}/simulated-codes.test.ts`],
    mistakes: [
      ['validation_failed: [{ text: "{}" }, { text: "[]" }]', "validation_failed: []"],
      ["if (parameter !== undefined) readQuery", "if (false) readQuery"],
    ],
  },
  "src/adapters/http/guide/examples/call.ts": {
    tests: [`${HTTP}/guide/examples.test.ts`],
    mistakes: [
      ["idsIn(call).some((name) => /^[A-Z]/.test(name))", "false"],
      ["if (call.url.length > 0) return false;", ""],
      ['else return option === "-o" && text === "/dev/null";', ""],
    ],
  },
  "src/adapters/http/guide/examples/shell.ts": {
    tests: [`${HTTP}/guide/examples.test.ts`],
    mistakes: [
      ["return end === command.length ? words.map(joined) : undefined;", "return words.map(joined);"],
      [
        '(single === undefined ? expanded(double ?? bare ?? "") : [single])',
        'expanded(single ?? double ?? bare ?? "")',
      ],
    ],
  },
  "src/adapters/http/guide/browser/search-words.js": {
    tests: [`${HTTP}/guide/search-words.test.ts`],
    mistakes: [
      ["found > words.length / 2", "found >= words.length / 2"],
      ["if (isSwapped)", "if (false)"],
      ["Math.min(inText ?? 0, MOST_IN_TEXT)", "(inText ?? 0)"],
      ["score += 6;", "score += 0;"],
    ],
  },
  "src/adapters/http/guide/address.ts": {
    tests: [`${HTTP}/guide/documents.test.ts`],
    mistakes: [
      ['address.deployment === "staging" ? "pets_stag_…" : SHOWN.key', "SHOWN.key"],
      [".replaceAll(SHOWN.root, rootOf(address))", ""],
    ],
  },
  "src/adapters/http/guide/plain.ts": {
    tests: [`${HTTP}/guide/documents.test.ts`],
    mistakes: [
      ["if (block !== undefined) return addressed(block, address);", "if (block !== undefined) return block;"],
      ["return href === undefined ? text :", "return href === undefined ? part :"],
    ],
  },
  "src/adapters/http/guide/anchors.ts": {
    tests: [`${HTTP}/guide/documents.test.ts`],
    mistakes: [["this.#counts.set(anchor, count + 1);", ""]],
  },
  "src/adapters/http/guide/feed.ts": {
    tests: [`${HTTP}/guide/documents.test.ts`],
    mistakes: [["if (title === undefined) return [];", ""]],
  },
  "src/adapters/http/errors.ts": {
    tests: [`${HTTP}/internal-error.test.ts`, `${HTTP}/unavailable.test.ts`],
    mistakes: [
      [
        "const { code, message, details, retryAfter } = error;",
        "const { code, details, retryAfter } = error;\n  const message = String(error.cause ?? error.message);",
      ],
      ["if (error.isFailure) report(error, requestId);", ""],
      ['headers["Cache-Control"] = "no-store";', "", `${HTTP}/caching.test.ts`],
      ['if (retryAfter !== undefined) headers["Retry-After"]', 'if (retryAfter === 0) headers["Retry-After"]'],
      ["...(details && { details })", "", `${HTTP}/list-parameters.test.ts`],
    ],
  },
  "src/adapters/http/app.ts": {
    tests: [`${HTTP}/order-of-checks.test.ts`],
    mistakes: [
      [
        "requireNotRemoved(operation, context, services); // 410\n    requireScope(operation, context); // 403",
        "requireScope(operation, context);\n    requireNotRemoved(operation, context, services);",
      ],
      [
        "const admitted = Object.assign(context, { key });",
        "const admitted = Object.assign(context, { key });\n      requireOperation(context, PATHS_HINT);",
      ],
      ["requireScope(operation, context); // 403", "", `${HTTP}/scopes.test.ts`],
      [
        "return after(consume(admitted, services), () => {",
        "consume(admitted, services);\n      return after(undefined, () => {",
        "test/nodes/exactness.long.test.ts",
      ],
      ["cors.addHeaders(context);", "", `${HTTP}/cors.test.ts`],
      ['if (health.isStopping()) context.headers.Connection = "close";', "", "test/durability/stopping.long.test.ts"],
      ['path[PREFIX.length] === "/"', 'path[PREFIX.length] !== ""', `${HTTP}/site.test.ts`],
      ["return after(response, (made) => recorded(context, made));", "return response;", `${HTTP}/usage.test.ts`],
      ['headers["Cache-Control"] = "no-store";', "", `${HTTP}/caching.test.ts`],
      ["services.logRequest?.(entryOf(context, response.status));", "", `${HTTP}/request-log.test.ts`],
    ],
  },
  "src/adapters/http/site.ts": {
    tests: [`${HTTP}/readiness.test.ts`],
    mistakes: [
      ["await health.check();", ""],
      ["await health.check();", "health.check();"],
      [
        'if (health.isStopping()) return errorResponse(c.env, unavailable(new Error("the service is stopping")), () => {});',
        "",
        "test/durability/stopping.long.test.ts",
      ],
    ],
  },
  "src/adapters/http/authenticate.ts": {
    tests: [`${HTTP}/authentication.test.ts`, `${HTTP}/anonymous.test.ts`],
    mistakes: [
      ["consumeAnonymously(context, services);", ""],
      ["showAddressLimit(context, services);\n      }", "}"],
      ['context.headers["WWW-Authenticate"] = challengeOf(error);\n      } else', "} else"],
      [
        'context.headers["WWW-Authenticate"] = challengeOf(error);\n  throw error;',
        "throw error;",
        `${HTTP}/simulated-codes.test.ts`,
      ],
      [
        "authorization.length <= MAX_LENGTH ? secret : Buffer.from(secret).toString()",
        "secret",
        "test/adapters/memory/local-key-cache.test.ts",
      ],
      ["const secret = secretIn(authorization);", 'const secret = secretIn("");'],
      ["const SCHEME = /^Bearer(?: |$)/i;", "const SCHEME = /^Bearer(?: |$)/;"],
      ['slice("Bearer ".length).trim()', 'slice("Bearer ".length)'],
      ['if (form === "genuine") return new PetstoreError("invalid_api_key");', ""],
      ['form === "other deployment"', "false"],
      ["services.refresh();", "", `${HTTP}/key-lifetime.test.ts`],
      ["if (refusal !== undefined) throw new PetstoreError(refusal);", "", `${HTTP}/key-lifetime.test.ts`],
      ['code === "missing_api_key" ?', 'code !== "missing_api_key" ?'],
    ],
  },
  "src/adapters/http/body.ts": {
    tests: [`${HTTP}/create-size.test.ts`, `${HTTP}/create-media-type.test.ts`],
    mistakes: [
      ["Number(length) > MAX_BODY_BYTES", "Number(length) >= MAX_BODY_BYTES"],
      ["size > MAX_BODY_BYTES", "size > 2 * MAX_BODY_BYTES"],
      ["requireJson(context.request.headers, types, bytes.length === 0);", ""],
      ['&& encoding === "identity"', ""],
      ['["utf-8", "utf8"].includes(charset)', "true"],
      ['headers.Connection = "close";', "", `${HTTP}/create-size.test.ts`, "test/attack/unread-body.test.ts"],
    ],
  },
  "src/adapters/http/client-address.ts": {
    mistakes: [
      ["i < 8 ? byte : 0", "byte"],
      ["while (hops.length > 0 && isAmong(client, proxies))", "while (hops.length > 0)"],
      ["hops.pop()", "hops.shift()"],
      ["if (!ipaddr.isValid(hop)) break;", ""],
    ],
  },
  "src/adapters/http/compressed.ts": {
    tests: [`${HTTP}/compressed.test.ts`, `${HTTP}/site.test.ts`],
    mistakes: [
      ['Vary: "Accept-Encoding", ', ""],
      ["-$", "-", `${HTTP}/compressed.test.ts`],
      ["body.length < bytes.length", "true"],
      ["weightOf(b) - weightOf(a)", "weightOf(a) - weightOf(b)", `${HTTP}/compressed.test.ts`],
    ],
  },
  "src/adapters/http/conditional.ts": {
    tests: [`${HTTP}/compressed.test.ts`, `${HTTP}/site.test.ts`],
    mistakes: [
      ["LIST.test(header) ? [", "true ? [", `${HTTP}/conditional-reads.test.ts`],
      ['(?:(?:W\\/)?"', '(?:"', `${HTTP}/update-pet.test.ts`],
      ["(?:,|$))+$/", ",?)+$/", `${HTTP}/update-pet.test.ts`],
      ['if (header === "*") return "any";', "", `${HTTP}/update-pet.test.ts`],
      ['? tagsIn(header) : "any"', "? tagsIn(header) : []", `${HTTP}/update-pet.test.ts`],
      ["if (isCurrent(request, etag)) return", "if (false) return", `${HTTP}/conditional-reads.test.ts`],
      ['headers["Cache-Control"] = "private, no-cache";', "", `${HTTP}/conditional-reads.test.ts`],
    ],
  },
  "src/adapters/http/cors.ts": {
    mistakes: [
      ["if (origin === undefined) return;", ""],
      ['headers.Vary = "Origin";', ""],
      ["const MAX_AGE = 7_200;", "const MAX_AGE = 86_400;"],
      ["return this.#allowedOrigin(request) !== undefined;", "return true;"],
    ],
  },
  "src/adapters/http/deprecation.ts": {
    tests: [`${HTTP}/sunset.test.ts`, `${HTTP}/get-pet.test.ts`],
    mistakes: [
      ["if (now >= deprecated.removedAt)", "if (now > deprecated.removedAt)"],
      ['timeZone: "UTC",', ""],
      [
        "activity.calledDeprecated(id,",
        "void (id,",
        `${HTTP}/usage.test.ts`,
        `${HTTP}/get-pet.test.ts`,
        `${HTTP}/admin/usage.test.ts`,
        `${HTTP}/sunset.test.ts`,
      ],
    ],
  },
  "src/adapters/http/limit-headers.ts": {
    tests: [`${HTTP}/limit-moments.test.ts`],
    mistakes: [
      ['"outcome" in limits && limits.outcome !== "allowed"', '"outcome" in limits'],
      ["String(shown.resetAt);", "String(shown.resetAt + 1);"],
      ["{secondsUntil(resetAt, now)}", "{Math.floor(resetAt - now / 1000)}"],
      ["get(first)?.get(second)", "get(first)?.values().next().value", `${HTTP}/limit-policy.test.ts`],
      ["windows[1]?.limit ?? -1", "windows[1]?.limit ?? first", `${HTTP}/limit-policy.test.ts`],
      ["new Map<number, string>();", "new Map([[1, text]]);", `${HTTP}/limit-policy.test.ts`],
    ],
  },
  "src/adapters/http/limits.ts": {
    tests: [`${HTTP}/limits.test.ts`, `${HTTP}/usage.test.ts`],
    mistakes: [
      ["const LAST_USE_ACCURACY = 60_000;", "const LAST_USE_ACCURACY = 3_600_000;", `${HTTP}/limit-moments.test.ts`],
      ["if (now - key.lastUsedAt < LAST_USE_ACCURACY) return;", "", `${HTTP}/limit-moments.test.ts`],
      ["if (context.route.operation?.isFree) return consumeFreely(context, services);", "", `${HTTP}/usage.test.ts`],
      ['if (decision.outcome === "allowed") return;', "return;", `${HTTP}/usage.test.ts`],
      ["recordUse(activity, key, status.now);", "", `${HTTP}/key-lifetime.test.ts`],
    ],
  },
  "src/adapters/http/counts.ts": {
    mistakes: [["Object.hasOwn(counts, name) ? name : OTHER", "name"]],
  },
  "src/adapters/http/no-route.ts": {
    tests: [`${HTTP}/methods.test.ts`, `${HTTP}/site.test.ts`],
    mistakes: [
      ['headers.Allow = allowed.join(", ");', ""],
      ["if (allowed.length === 0) {", "if (allowed.length < 9) {"],
    ],
  },
  "src/adapters/http/page-cache.ts": {
    tests: [`${HTTP}/page-cache.test.ts`],
    mistakes: [
      ["if (this.#characters + characters > MOST_CHARACTERS) this.#empty(revision);", ""],
      ["if (revision !== this.#revision) this.#empty(revision);", ""],
      ["if (revision !== this.#revision) return;", ""],
      ["const MOST_CHARACTERS = 8_000_000;", "const MOST_CHARACTERS = 800_000_000;"],
      ["url.length + cached.page.body.length", "cached.page.body.length"],
      ["if (this.#seenOnce[place] === checksum) ", "if (true) "],
      ["const place = checksum % PLACES;", "const place = checksum % 4;"],
      ["else this.#seenOnce[place] = checksum;", ""],
      ["this.#seenOnce.fill(0);", ""],
      ["this.#characters = 0;", ""],
    ],
  },
  "src/adapters/http/ordinary-case.ts": {
    tests: [`${HTTP}/ordinary-case.test.ts`],
    mistakes: [
      ["    refresh();", ""],
      ['request.method !== "GET" || ', ""],
      ["|| !isPlain(request)", ""],
      ["if (refusalOf(key, secret, clock()) !== undefined) return undefined;", ""],
      [
        "return simulationOf !== undefined && key.simulation !== undefined ? undefined : key;",
        "return key;",
        `${HTTP}/key-simulations.test.ts`,
      ],
      ["requireNotRemoved(operation, context, services); // 410", ""],
      ["requireScope(operation, context); // 403", ""],
      ["addDeprecationHeaders(context, services);", ""],
      ["[\\w/-]*", "[^?]*"],
      ["recordUse(activity, key, decision.now);", ""],
      ["cors.addHeaders(context);", ""],
      ["addLimitHeaders(headers, decision);", ""],
      ["record(context, status, services);", ""],
      ["asksToClose(request)", "false"],
      ["!hasValidHost(request)", "false"],
      ["isBodiless && headers.get(SIMULATE) === null", "isBodiless"],
    ],
  },
  "src/adapters/listen/bun.ts": {
    tests: ["test/adapters/listen/port.test.ts"],
    mistakes: [["clearTimeout(deadline);", ""]],
  },
  "src/adapters/listen/incoming-head.ts": {
    mistakes: [
      ["each.toLowerCase() !== name.toLowerCase()", "each !== name"],
      ["found === null ? value", "true ? value"],
    ],
  },
  "src/adapters/http/page-query.ts": {
    mistakes: [
      ['order === "asc" ? 0n : INT64_MAX', "0n"],
      ["isName(text) ? text : undefined", "text", `${HTTP}/list-filters.test.ts`],
      ["isCategoryName(text) ? text : undefined", "text", `${HTTP}/list-categories.test.ts`],
      ['idsOf("categories", "any")', 'idsOf("categories", "assigned")'],
      ["petId: int64(1)", "petId: int64(0)", `${HTTP}/list-orders.test.ts`],
      ['id: "ListOrder", ', "", `${HTTP}/document.test.ts`],
    ],
  },
  "src/adapters/http/page-reader.ts": {
    tests: [`${HTTP}/list-pages.test.ts`, `${HTTP}/other-processes.test.ts`],
    mistakes: [
      ["limit: page.limit + 1 }", "limit: page.limit }"],
      ["found.length > shown.length ?", "found.length >= shown.length ?"],
      ['{next ?? ""}', '{""}', `${HTTP}/conditional-reads.test.ts`],
      ["page.ids?.length === 1 ? shown : []", "[]", `${HTTP}/conditional-reads.test.ts`],
      ["page.ids?.length === 1 ? shown : []", "shown", `${HTTP}/conditional-reads.test.ts`],
    ],
  },
  "src/adapters/http/paging.ts": {
    tests: [`${HTTP}/page-query.test.ts`],
    mistakes: [
      ["ids?.length ?? PAGE.default", "PAGE.default", `${HTTP}/list-ids.test.ts`],
      ["id < last : id > last", "id > last : id < last", `${HTTP}/list-ids.test.ts`],
      [
        "id !== undefined && id > 0n",
        "id !== undefined && id >= 0n",
        `${HTTP}/list-parameters.test.ts`,
        `${HTTP}/list-ids.test.ts`,
      ],
      ["all.length <= MAX_IDS", "all.length < MAX_IDS", `${HTTP}/list-ids.test.ts`],
      ["    ...filters,\n", "", `${HTTP}/list-pages.test.ts`],
      ["encodeURIComponent(value)", "value"],
      ['order: order === "desc" ? order : undefined,', "", `${HTTP}/list-pages.test.ts`],
    ],
  },
  "src/adapters/http/path-ids.ts": {
    mistakes: [
      ['idOf("category", signedInt64,', 'idOf("category", plainInt64,', `${HTTP}/put-category.test.ts`],
      ['"order_not_found") }', '"pet_not_found") }', `${HTTP}/update-order.test.ts`],
      ['"category_not_found", ', '"not_found", ', `${HTTP}/put-category.test.ts`],
    ],
  },
  "src/adapters/http/idempotency-key.ts": {
    tests: [`${HTTP}/idempotency.test.ts`],
    mistakes: [
      ['if (isReplay) context.headers["Idempotency-Replayed"] = "true";', ""],
      ["{ keyId, key, now }", "{ keyId: '', key, now }"],
      ["Location: location, ", "", `${HTTP}/create-pet.test.ts`],
      ["ETag: etagOf(tag) }", "}", `${HTTP}/conditional-reads.test.ts`],
    ],
  },
  "src/adapters/http/host.ts": {
    tests: ["test/attack/host.test.ts"],
    mistakes: [
      ["if (!HOST.test(host)) return false;", ""],
      [
        "if (!HOST.test(host)) return false;\n  lastValid = host;",
        "lastValid = host;\n  if (!HOST.test(host)) return false;",
      ],
      ["(?::\\d*)?$/i", "(?::\\d*)?/i"],
    ],
  },
  "src/adapters/http/parameters.ts": {
    tests: [`${HTTP}/list-parameters.test.ts`, `${HTTP}/list-filters.test.ts`],
    mistakes: [
      ["number >= min && number <= max", "number >= min"],
      ["number >= min && number <= max", "number > min && number <= max"],
      ["if (result.success && problems.size === 0)", "if (result.success)"],
      ["if (names.includes(name)) problems", "problems"],
      ["decodeURIComponent(bytes);", ""],
      ["const isRepeated = Object.keys(values).length < query.size;", "const isRepeated = false;"],
      ["if (name in values) return undefined;", ""],
      [' || query.includes("[]")', "", `${HTTP}/list-ids.test.ts`],
      ["if (!success) return undefined;", "if (!success) continue;"],
      ["if (schema.def.checks !== undefined) throw", "if (false) throw", `${HTTP}/page-query.test.ts`],
      ['query.includes("%") || ', "", `${HTTP}/list-filters.test.ts`],
      ["return { ...defaults, ...values }", "return { ...values }", "test/adapters/http/operation.test.ts"],
      ["if (name in values ||", "if (", `${HTTP}/list-ids.test.ts`],
    ],
  },
  "src/adapters/listen/kept-headers.ts": {
    mistakes: [
      ["if (value !== before) kept.headers.set(name, value);", ""],
      ["if (before === undefined) return this.#keep(count, values);", ""],
      ["kept.values = values;", ""],
      ["this.#byCount[count] = undefined;", ""],
      ["const count = Object.keys(values).length;", "const count = 0;"],
    ],
  },
  "src/adapters/http/request-coalescer.ts": {
    tests: [`${HTTP}/request-coalescing.test.ts`],
    mistakes: [
      ["this.#pending.delete(key);", ""],
      ["if (pending !== undefined) return pending;", ""],
    ],
  },
  "src/adapters/http/request-context.ts": {
    tests: [`${HTTP}/site.test.ts`, `${HTTP}/caching.test.ts`, `${HTTP}/admin/listener.test.ts`],
    mistakes: [
      [', "X-Content-Type-Options": "nosniff"', ""],
      ['"X-Request-Id": requestId,', ""],
      [
        'if (asksToClose(request)) headers.Connection = "close";',
        "",
        "test/attack/pipelining.test.ts",
        "test/adapters/listen",
      ],
    ],
  },
  "src/adapters/http/request-id.ts": {
    tests: [`${HTTP}/request-id-form.test.ts`, `${HTTP}/request-id.test.ts`],
    mistakes: [
      ["{1,128}$/", "{1,129}$/"],
      ["/^[A-Za-z0-9._-]", "/[A-Za-z0-9._-]"],
      [" && given.search(SECRET_LIKE) === -1", ""],
    ],
  },
  "src/adapters/http/routes.ts": {
    tests: [`${HTTP}/routes.test.ts`, `${HTTP}/methods.test.ts`],
    mistakes: [
      ["(?<$1>[^/]+)", "(?<$1>.+)"],
      ['operation.method === "get" ? ["GET", "HEAD"]', 'operation.method === "get" ? ["GET"]'],
      ['path.endsWith("/") ? find', 'path === "" ? find'],
    ],
  },
  "src/adapters/http/scope.ts": {
    tests: [`${HTTP}/scopes.test.ts`],
    mistakes: [['headers["WWW-Authenticate"] =', 'headers["X-Challenge"] =']],
  },
  "src/adapters/http/unread-body.ts": {
    tests: ["test/attack/unread-body.test.ts"],
    mistakes: [
      ['response.headers.set("Connection", "close");', ""],
      ['headers.has("Transfer-Encoding") ||', ""],
    ],
  },
  "src/adapters/http/operations/createPet.ts": {
    tests: [`${HTTP}/create-pet.test.ts`, `${HTTP}/idempotency.test.ts`],
    mistakes: [
      [": await pets.createIdempotently(body, key);", ": { created: await pets.create(body), isReplay: false };"],
      ["context.simulation?.now ?? now)", "context.simulation?.now ?? 0)", `${HTTP}/sunset.test.ts`],
      ["context.simulation?.now ?? now)", "now)", `${HTTP}/simulation.test.ts`],
    ],
  },
  "src/adapters/http/operations/deletePet.ts": {
    tests: [`${HTTP}/delete-pet.test.ts`],
    mistakes: [
      [", { preconditions: preconditionsIn(headers) }", ""],
      ['scope: "pets:write"', 'scope: "pets:read"'],
    ],
  },
  "src/adapters/http/operations/createCategory.ts": {
    tests: [`${HTTP}/create-category.test.ts`, `${HTTP}/idempotent-creations.test.ts`, `${HTTP}/scopes.test.ts`],
    mistakes: [
      ["create(body, { key })", "create(body)"],
      ['scope: "pets:write"', 'scope: "pets:read"'],
      ["return `/v1/categories/$", "return `/categories/$"],
    ],
  },
  "src/adapters/http/operations/putCategory.ts": {
    tests: [`${HTTP}/put-category.test.ts`, `${HTTP}/scopes.test.ts`],
    mistakes: [
      [", { preconditions: preconditionsIn(headers) }", ""],
      ["if (isNew) return", "if (!isNew) return"],
      ["{ ETag: etagOf(tag) }", "{}"],
      ['scope: "pets:write"', 'scope: "pets:read"'],
    ],
  },
  "src/adapters/http/operations/deleteCategory.ts": {
    tests: [`${HTTP}/delete-category.test.ts`, `${HTTP}/scopes.test.ts`],
    mistakes: [
      [", { preconditions: preconditionsIn(headers) }", ""],
      ['scope: "pets:write"', 'scope: "pets:read"'],
    ],
  },
  "src/adapters/http/operations/placeOrder.ts": {
    tests: [`${HTTP}/place-order.test.ts`, `${HTTP}/idempotent-creations.test.ts`, `${HTTP}/scopes.test.ts`],
    mistakes: [
      ["now, { key })", "now)"],
      ['scope: "orders:write"', 'scope: "pets:write"'],
      ["location: `/v1/store/orders/$", "location: `/v1/orders/$"],
    ],
  },
  "src/adapters/http/operations/updateOrder.ts": {
    tests: [`${HTTP}/update-order.test.ts`, `${HTTP}/scopes.test.ts`],
    mistakes: [
      ["preconditions: preconditionsIn(headers),", ""],
      [", types: PATCH_TYPES", ""],
      ["{ ETag: etagOf(tagOfVersion(order.version)) }", "{}"],
      ['scope: "orders:write"', 'scope: "pets:write"'],
    ],
  },
  "src/adapters/http/operations/listOrders.ts": {
    tests: [`${HTTP}/list-orders.test.ts`, `${HTTP}/scopes.test.ts`],
    mistakes: [
      ["revision: () => pets.revision(),", "revision: () => 0,"],
      ['scope: "orders:read"', 'scope: "pets:read"'],
      ["/store/orders`,", "/orders`,"],
    ],
  },
  "src/adapters/http/operations/listCategories.ts": {
    tests: [`${HTTP}/list-categories.test.ts`],
    mistakes: [
      ["revision: () => pets.revision(),", "revision: () => 0,"],
      ["tagOf: ({ version }) => tagOfVersion(version)", 'tagOf: () => "v1"'],
    ],
  },
  "src/adapters/http/operations/getInventory.ts": {
    tests: [`${HTTP}/inventory.test.ts`, `${HTTP}/scopes.test.ts`],
    mistakes: [
      ["tagOfText(body)", '"v1"'],
      ['scope: "pets:read"', 'scope: "orders:read"'],
    ],
  },
  "src/adapters/http/operations/updatePet.ts": {
    tests: [`${HTTP}/update-pet.test.ts`],
    mistakes: [
      [", { preconditions: preconditionsIn(headers) }", ""],
      [", types: PATCH_TYPES", ""],
      ["{ ETag: etagOf(tagOfVersion(pet.version)) }", "{}"],
      ['scope: "pets:write"', 'scope: "pets:read"'],
    ],
  },
  "src/adapters/http/malformed.ts": {
    mistakes: [
      ["headers: { Allow: METHODS },", ""],
      ['Connection: "close",', ""],
      ["      ...headers,\n", ""],
    ],
  },
  "src/adapters/listen/gate.ts": {
    mistakes: [
      ["if (this.#opening === undefined) return", "return"],
      ["seen !== this.#waiting &&", "false &&"],
      ["&& performance.now() < end", ""],
    ],
  },
  "src/adapters/http/operations/getPet.ts": {
    tests: [`${HTTP}/sunset.test.ts`, `${HTTP}/get-pet.test.ts`],
    mistakes: [
      ["now < getPetDeprecation.removedAt ?", "now <= getPetDeprecation.removedAt ?"],
      ["deprecatedAt: Date.UTC(2026, 10, 20)", "deprecatedAt: Date.UTC(2026, 11, 20)"],
    ],
  },
  "src/adapters/http/operations/listPets.ts": {
    tests: [`${HTTP}/list-pages.test.ts`, `${HTTP}/other-processes.test.ts`],
    mistakes: [["revision: () => pets.revision(),", "revision: () => 0,"]],
  },
  "src/adapters/http/operations/getUsage.ts": {
    tests: [`${HTTP}/usage.test.ts`],
    mistakes: [
      ["ban === undefined ? null : { until: timestampOf(ban.until * 1000) }", "null"],
      ['id: "RequestsByClass",', "", `${HTTP}/document.test.ts`],
    ],
  },
  "src/adapters/http/not-found-page.ts": {
    tests: [`${HTTP}/site.test.ts`],
    mistakes: [
      ['headers["Content-Security-Policy"] = POLICY;', ""],
      ['headers.Vary = "Accept";', ""],
    ],
  },
};
