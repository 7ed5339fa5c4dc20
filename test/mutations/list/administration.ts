import type { Mistakes } from "../mutant.ts";

const ADMIN = "test/adapters/http/admin";

export const administration: Mistakes = {
  "src/adapters/http/admin/app.ts": {
    tests: [`${ADMIN}/order-of-checks.test.ts`, `${ADMIN}/roles.test.ts`],
    mistakes: [
      ["requireRole(operation, authenticated.operator); // 403", ""],
      ["refuseUnknownHost(context, hosts); // 403", "", `${ADMIN}/hosts.test.ts`],
      ["refuseCrossSite(context, trustedProxies); // 403", "", `${ADMIN}/sessions.test.ts`],
      [
        'context.headers["Cache-Control"] = "no-store";',
        "",
        `${ADMIN}/listener.test.ts`,
        "test/adapters/http/admin/no-store.test.ts",
      ],
      ['role === "admin" && operator.role !== "admin"', 'role === "admin" && operator.role === "admin"'],
    ],
  },
  "src/adapters/http/admin/authenticate.ts": {
    tests: [`${ADMIN}/wrong-credentials.test.ts`, `${ADMIN}/sessions.test.ts`],
    mistakes: [
      ["consume(anonymous, addressOf(context, trustedProxies));", ""],
      ["challenge(context);\n    Object", "Object"],
      ["Object.assign(context.headers, headers);", ""],
      ["requireSameSite(context, trustedProxies);", ""],
    ],
  },
  "src/adapters/http/admin/attempts.ts": {
    tests: [`${ADMIN}/wrong-credentials.test.ts`, `${ADMIN}/sessions.test.ts`],
    mistakes: [[", retryAfter: secondsUntil(shown.resetAt, now)", ""]],
  },
  "src/adapters/http/admin/operations/createFirstOperator.ts": {
    tests: [`${ADMIN}/first-operator.test.ts`],
    mistakes: [
      ["await attempt.failed(context.requestId);", ""],
      ["body.link.trim()", "body.link"],
      ["cookieOf(services, context, created.secret)", "{}"],
    ],
  },
  "src/adapters/http/admin/sign-in-attempts.ts": {
    tests: [`${ADMIN}/sessions.test.ts`],
    mistakes: [
      ["consume(parts.signIns, this.#name);", ""],
      ["consume(parts.signIns, this.#name);", "consume(parts.anonymous, this.#name);"],
      ["this.#parts.signIns.forget(this.#name);", ""],
      ["this.#parts.signIns.refund(this.#name);", ""],
      ["token.slice(0, PREFIX_LENGTH)", "token"],
      ["consume(anonymous, this.#address);", ""],
      ['if (failureEntries.take("").outcome === "allowed") {', "{"],
    ],
  },
  "src/adapters/http/admin/hosts.ts": {
    tests: [`${ADMIN}/hosts.test.ts`],
    mistakes: [
      ["hosts.includes(name)", "hosts.some((host) => name.startsWith(host))"],
      [".toLowerCase()", ""],
      ['name.endsWith(".localhost")', 'name.endsWith("localhost")'],
      ["ipaddr.IPv4.isValid(name)", "/^[0-9.]+/.test(name)"],
      [" || PROBES.includes(path)", ""],
    ],
  },
  "src/adapters/http/admin/console.ts": {
    mistakes: [
      ["\"frame-ancestors 'none'\",", ""],
      ["\"connect-src 'self'\",", '"connect-src *",'],
      ["\"form-action 'none'\",", ""],
      ["\"base-uri 'none'\",", ""],
      ['HASHED.test(name) ? FOREVER : "no-cache"', "FOREVER"],
      ['"Referrer-Policy": "no-referrer",', ""],
    ],
  },
  "src/adapters/http/admin/cookie.ts": {
    tests: [`${ADMIN}/sessions.test.ts`],
    mistakes: [
      ["HttpOnly; ", ""],
      ["SameSite=Strict", "SameSite=Lax"],
      ['isSecure ? "; Secure" : ""', '""'],
      ["Max-Age=", "Max-Age=1"],
      ["{deployment}`;", '{"production"}`;'],
    ],
  },
  "src/adapters/http/admin/cross-site.ts": {
    tests: [`${ADMIN}/sessions.test.ts`],
    mistakes: [
      ['site === "same-origin"', 'site !== "cross-site"'],
      ['const SAFE = ["GET", "HEAD", "OPTIONS"];', 'const SAFE = ["GET", "HEAD", "OPTIONS", "DELETE"];'],
      ['=== "https" && isAmong(connection.address(), proxies)', '=== "https"'],
    ],
  },
  "src/adapters/http/admin/metrics.ts": {
    tests: [`${ADMIN}/metrics-access.test.ts`],
    mistakes: [
      ["await authentication?.authenticate(env);", "authentication?.authenticate(env).catch(() => {});"],
      ['"Cache-Control": "no-store"', '"Cache-Control": "max-age=60"'],
    ],
  },
  "src/adapters/http/admin/import-progress.ts": {
    tests: [`${ADMIN}/departed-import.test.ts`, `${ADMIN}/pets.test.ts`],
    mistakes: [
      ["if (isCancelled()) return void (await batches.return(undefined));", ""],
      ["isCancelled = true;", ""],
      [
        "const room = MOST_REJECTIONS - this.#rejections.length;",
        "const room = MOST_REJECTIONS;",
        `${ADMIN}/pets.test.ts`,
      ],
      ["if (error.isFailure) this.#onFailure(error);", "", `${ADMIN}/failed-import.test.ts`],
      [
        "thrown instanceof PetstoreError ? thrown : unavailable(thrown)",
        "unavailable(thrown)",
        `${ADMIN}/pets.test.ts`,
      ],
    ],
  },
  "src/adapters/http/admin/category.ts": {
    tests: [`${ADMIN}/categories.test.ts`],
    mistakes: [["{ ETag: etagOf(tagOfVersion(category.version)) }", "{}"]],
  },
  "src/adapters/http/admin/order.ts": {
    tests: [`${ADMIN}/orders.test.ts`],
    mistakes: [["{ ETag: etagOf(tagOfVersion(order.version)) }", "{}"]],
  },
  "src/adapters/http/admin/pet.ts": {
    tests: [`${ADMIN}/pet-changes.test.ts`],
    mistakes: [["{ ETag: etagOf(tagOfVersion(pet.version)) }", "{}"]],
  },
  "src/adapters/http/admin/operations/createCategory.ts": {
    tests: [`${ADMIN}/roles.test.ts`],
    mistakes: [['role: "admin"', 'role: "viewer"']],
  },
  "src/adapters/http/admin/operations/putCategory.ts": {
    tests: [`${ADMIN}/categories.test.ts`],
    mistakes: [
      ["isNew ? 201 : 200", "201"],
      ["preconditionsIn(headers),", "undefined,"],
      ['role: "admin"', 'role: "viewer"', `${ADMIN}/roles.test.ts`],
    ],
  },
  "src/adapters/http/admin/operations/deleteCategory.ts": {
    tests: [`${ADMIN}/categories.test.ts`],
    mistakes: [["preconditionsIn(headers),", ""]],
  },
  "src/adapters/http/admin/operations/updateOrder.ts": {
    tests: [`${ADMIN}/orders.test.ts`],
    mistakes: [
      ["preconditionsIn(headers),", ""],
      ['types: ["application/merge-patch+json", "application/json"],', ""],
      ['role: "admin"', 'role: "viewer"', `${ADMIN}/roles.test.ts`],
    ],
  },
  "src/adapters/http/admin/operations/updatePet.ts": {
    tests: [`${ADMIN}/pet-changes.test.ts`],
    mistakes: [["preconditions: preconditionsIn(headers),", ""]],
  },
  "src/adapters/http/admin/operations/deletePet.ts": {
    tests: [`${ADMIN}/pet-changes.test.ts`],
    mistakes: [[", preconditionsIn(headers)", ""]],
  },
  "src/adapters/http/admin/operations/placeOrder.ts": {
    tests: [`${ADMIN}/orders.test.ts`],
    mistakes: [
      ["context.operator.id", '"operator"'],
      ["now, key)", "now)"],
    ],
  },
  "src/adapters/http/admin/operations/listOrders.ts": {
    tests: [`${ADMIN}/orders.test.ts`],
    mistakes: [["orders.list({ ...page, limit })", "orders.list({ limit, after: page.after })"]],
  },
  "src/adapters/http/admin/operations/listCategories.ts": {
    tests: [`${ADMIN}/categories.test.ts`],
    mistakes: [["categories.list({ ...page, limit })", "categories.list(page)"]],
  },
  "src/adapters/http/admin/operations/importCatalogue.ts": {
    tests: [`${ADMIN}/pets.test.ts`],
    mistakes: [
      ["{ format, replace, replaceStatus });\n      const first", "{ format, replaceStatus });\n      const first"],
      ["{ format, replace, replaceStatus }", "{ format, replace, replaceStatus: false }"],
    ],
  },
  "src/adapters/http/admin/uploaded-file.ts": {
    tests: [`${ADMIN}/staging-reset.test.ts`],
    mistakes: [
      ["raw: isRaw", "raw: false", `${ADMIN}/pets.test.ts`],
      ["if (chunk.length > 0) throw unsupported();", ";"],
    ],
  },
  "src/adapters/http/admin/operations/resetStaging.ts": {
    tests: [`${ADMIN}/staging-reset.test.ts`],
    mistakes: [
      ["file === undefined ? sampleShop({ now: clock() }) : await readSeedFile(file)", "sampleShop({ now: clock() })"],
      ['role: "admin"', 'role: "viewer"'],
    ],
  },
  "src/adapters/http/admin/streamed.ts": {
    tests: [`${ADMIN}/departed-import.test.ts`],
    mistakes: [
      ["await parts.return(undefined);", ""],
      ["await pause(PAUSE);", "", `${ADMIN}/streamed.test.ts`],
      ["if (sent < BURST) continue;", "", `${ADMIN}/streamed.test.ts`],
    ],
  },
};
