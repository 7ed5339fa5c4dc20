import { describe, expect, spyOn, test } from "bun:test";
import { basename, join } from "node:path";
import ts from "typescript";
import { publicStatuses } from "../../../test/support/codes.ts";
import { expectKept } from "../../../test/support/kept-copy.ts";
import { pageInOneLine, read, says, states } from "../../../test/support/markdown.ts";
import { useService } from "../../../test/support/use-service.ts";
import * as client from "../../src/main.ts";
import { PetstoreError, type ResponseEvent, type RetryEvent, type WaitEvent } from "../../src/main.ts";
import { projectWithPackage } from "../support/package.ts";
import { clockOf, petstoreOf, recorder } from "../support/petstore.ts";

const main = join(projectWithPackage(), "node_modules/@petstore/client/dist/main.d.ts");
const program = ts.createProgram([main], {
  strict: true,
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
});
const checker = program.getTypeChecker();

const isDocumented = (symbol: ts.Symbol) => symbol.getDocumentationComment(checker).length > 0;

const isOurs = (symbol: ts.Symbol) =>
  symbol.declarations?.some((declaration) => declaration.getSourceFile().fileName.includes("@petstore/client")) ??
  false;

const isHidden = (symbol: ts.Symbol) =>
  symbol.declarations?.every(
    (declaration) => ts.isPropertyDeclaration(declaration) && ts.isPrivateIdentifier(declaration.name),
  ) ?? false;

/** The members of a class, its instances or an interface that are not inherited from outside the package. */
function membersOf(symbol: ts.Symbol): ts.Symbol[] {
  const isType = (symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface)) !== 0;
  if (!isType) return [];
  const constructors = symbol.members?.get(ts.InternalSymbolName.Constructor);
  const own = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol)).filter(isOurs);
  return [...own, ...(constructors === undefined ? [] : [constructors])].filter((member) => !isHidden(member));
}

const source = program.getSourceFile(main);
const exported = checker
  .getExportsOfModule(checker.getSymbolAtLocation(source ?? ts.createSourceFile("", "", 99)) as ts.Symbol)
  .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));

test("the declarations of the package, and what they say, are as they were agreed on", () => {
  const files = program.getSourceFiles().filter(({ fileName }) => fileName.includes("@petstore/client/dist/"));
  // The types of the interface are made from its document.
  const texts = files
    .map(({ fileName, text }) => [basename(fileName), text.replace(/^\/\/# sourceMappingURL=.*$/m, "").trim()] as const)
    .filter(([name]) => name !== "schema.d.ts")
    .sort(([one], [other]) => (one < other ? -1 : 1));
  expectKept(join(import.meta.dir, "declarations.txt"), texts.map(([name, text]) => `=== ${name}\n${text}`).join("\n"));
});

test("the exports of the package are found", () => {
  const names = exported.map(({ name }) => name);
  expect(names).toContain("PetstoreClient");
  expect(names).toContain("Int64");
  expect(names.length).toBeGreaterThan(25);
});

test.each(exported.map((symbol): [string, ts.Symbol] => [symbol.name, symbol]))(
  "%s and its members are documented",
  (_name, symbol) => {
    const undocumented = [symbol, ...membersOf(symbol)].filter((one) => !isDocumented(one) && one.name !== "name");
    expect(undocumented.map(({ name }) => name)).toEqual([]);
  },
);

test("a member without documentation is found", () => {
  const client = exported.find(({ name }) => name === "PetstoreClient");
  const members = client === undefined ? [] : membersOf(client).map(({ name }) => name);
  expect(members.sort()).toEqual([
    "__constructor",
    "categories",
    "createPet",
    "createPets",
    "deletePet",
    "events",
    "getPet",
    "getPetsByIds",
    "inventory",
    "listPets",
    "orders",
    "pages",
    "pets",
    "rateLimits",
    "request",
    "updatePet",
    "usage",
  ]);
});

test("only getPet is marked as deprecated, with its date", () => {
  states("client/README.md", "Editors strike it out.");
  const client = exported.find(({ name }) => name === "PetstoreClient");
  const marked = (client === undefined ? [] : membersOf(client)).flatMap((member) =>
    member
      .getJsDocTags(checker)
      .filter(({ name }) => name === "deprecated")
      .map(({ text }) => [member.name, ts.displayPartsToString(text)]),
  );
  expect(marked).toEqual([["getPet", expect.stringContaining("removed on 5 December 2030")]]);
});

/** What the declarations say of an export, or of a member of it, in one line. */
function documentationOf(name: string, member?: string): string {
  const symbol = exported.find((one) => one.name === name);
  const found = member && symbol ? membersOf(symbol).find((one) => one.name === member) : symbol;
  const text = ts.displayPartsToString(found?.getDocumentationComment(checker));
  return text.replaceAll(/\s+/g, " ");
}

describe("what the declarations and the README say is what the client does:", () => {
  const service = useService();

  test("the end of a window", async () => {
    // Within a second, which the service rounds up.
    await service.setClock(Math.floor(service.now / 1_000) * 1_000 + 400);
    const petstore = await petstoreOf(service, { clock: clockOf(service) });
    await petstore.listPets();
    await service.advance({ seconds: 10.3 });
    await petstore.listPets();
    const { minute } = await petstore.usage();
    const late = Number(petstore.rateLimits.minute?.resetAt) - Date.parse(minute.resetAt ?? "");
    expect(Math.abs(late)).toBeWithin(1, 1_000);
    says(
      documentationOf("RateLimitWindow", "resetAt"),
      `up to a second ${late > 0 ? "late, never early" : "early, never late"}.`,
    );
  });

  test("limits that are used up, without a wait for them", async () => {
    const { secret } = await service.createKey({ limits: { perMinute: 1, perDay: 100 } });
    const { fetch, statuses } = recorder();
    const options = { apiKey: secret, fetch, clock: clockOf(service), waitForLimits: false };
    const petstore = await petstoreOf(service, options);
    await petstore.listPets();
    const began = service.now;
    await petstore.listPets();
    expect(statuses.slice(0, 2)).toEqual([200, 429]);
    const after = service.now - began > 1_000 && statuses[2] === 200 ? "waits only after a 429" : "fails after a 429";
    says(pageInOneLine("client/README.md"), `the client sends requests even if none remain, and ${after}.`);
    says(
      documentationOf("PetstoreOptions", "waitForLimits"),
      "By default true; otherwise requests are sent all the same",
    );
  });

  test("a wait beyond the budget, and one without a budget", async () => {
    const { secret } = await service.createKey({ limits: { perMinute: 5, perDay: 5 } });
    const { fetch, statuses } = recorder();
    const options = { apiKey: secret, fetch, clock: clockOf(service) };
    const petstore = await petstoreOf(service, options);
    for (let call = 0; call < 5; call++) await petstore.listPets();
    const error = await petstore.listPets().catch((refusal) => refusal);
    const how = statuses.length === 5 ? "without a request" : "after a request";
    says(
      pageInOneLine("client/README.md"),
      `is a \`${error.name}\` at once, ${how}: so a program stops when its limit per day`,
    );
    const began = service.now;
    const patient = await petstoreOf(service, { ...options, budget: Number.POSITIVE_INFINITY });
    await patient.listPets();
    expect((service.now - began) / 3_600_000).toBeWithin(23, 25);
    says(pageInOneLine("client/README.md"), "With `budget: Infinity` it sleeps until the next day.");
  });

  test("the position of one of many creations, and the progress", async () => {
    const petstore = await petstoreOf(service);
    const progress: object[] = [];
    const creations = petstore.createPets([{ name: "Rex", categoryId: 1 }], {
      onProgress: (one) => progress.push(one),
    });
    const [creation] = await creations.toArray({ max: 2 });
    says(documentationOf("Creation"), `\`index\` is its position in the input, from ${creation?.index}.`);
    expect(progress).toEqual([{ created: 1, failed: 0 }]);
    says(documentationOf("CreatePetsOptions", "onProgress"), "Called after each creation.");
  });

  test("how many requests of many creations are under way, and how long one takes", async () => {
    const responses: ResponseEvent[] = [];
    const clock = clockOf(service);
    let [late, underWay, most] = [0, 0, 0];
    const petstore = await petstoreOf(service, {
      clock: { ...clock, now: () => clock.now() + late },
      onResponse: (event) => responses.push(event),
      fetch: async (url, init) => {
        most = Math.max(most, ++underWay);
        late += 250;
        const response = await fetch(url, init);
        underWay -= 1;
        return response;
      },
    });
    const pets = Array.from({ length: 30 }, (_, index) => ({ name: `Pet ${index}`, categoryId: 1 }));
    for await (const { error } of petstore.createPets(pets, { idempotencyKey: (_pet, index) => `k-${index}` })) {
      expect(error).toBeUndefined();
    }
    says(documentationOf("CreatePetsOptions", "concurrency"), `requests are under way at a time. By default ${most}.`);
    await petstore.listPets();
    const unit = responses.at(-1)?.duration === 250 ? "Milliseconds" : "Seconds";
    says(documentationOf("ResponseEvent", "duration"), `${unit} since the request was sent.`);
  });

  test("a deprecated operation", async () => {
    const warn = spyOn(console, "warn").mockImplementation(() => {});
    let reports = 0;
    try {
      const petstore = await petstoreOf(service, { onDeprecation: () => reports++ });
      const { id } = await petstore.createPet({ name: "Old", categoryId: 1 });
      for (let call = 0; call < 2; call++) await petstore.getPet(id);
      const often = reports === 1 ? "once for each deprecated operation" : "for each deprecated call";
      const instead = warn.mock.calls.length === 0 ? "instead of" : "after";
      says(documentationOf("PetstoreOptions", "onDeprecation"), `Called ${often}, ${instead} \`console.warn\`.`);
    } finally {
      warn.mockRestore();
    }
  });

  test("the units and the first number of what hooks get, and of errors", async () => {
    const { secret } = await service.createKey({ limits: { perMinute: 1, perDay: 100 } });
    const waits: WaitEvent[] = [];
    const retries: RetryEvent[] = [];
    const slept: number[] = [];
    const clock = { ...clockOf(service), random: () => 0.5 };
    const sleep = (ms: number, signal?: AbortSignal) => {
      slept.push(ms);
      return clock.sleep(ms, signal);
    };
    const hooks = {
      onWait: (event: WaitEvent) => waits.push(event),
      onRetry: (event: RetryEvent) => retries.push(event),
    };
    const petstore = await petstoreOf(service, { apiKey: secret, clock: { ...clock, sleep }, ...hooks });
    await petstore.listPets();
    await petstore.listPets();
    const unitOf = (delay = 0) => (slept.includes(delay) ? "Milliseconds" : "Seconds");
    says(documentationOf("WaitEvent", "delay"), `${unitOf(waits[0]?.delay)} until the reset.`);
    await service.withSecret(secret).spend(1);
    const impatient = await petstoreOf(service, { apiKey: secret, clock, waitForLimits: false, maxRetries: 0 });
    const refusal = await impatient.listPets().catch((error: unknown) => error);
    const { retryAfter = 0 } = refusal as PetstoreError;
    const unit = retryAfter > 1_000 ? "Milliseconds" : "Seconds";
    for (const name of ["PetstoreError", "ErrorProperties"])
      says(documentationOf(name, "retryAfter"), `${unit} to wait before another try`);

    let lost = 1;
    const unsteady = await petstoreOf(service, {
      clock: { ...clock, sleep },
      ...hooks,
      fetch: (url, init) => (lost-- > 0 ? Promise.reject(new Error("the cable is out")) : fetch(url, init)),
    });
    await unsteady.listPets();
    says(documentationOf("RetryEvent", "delay"), `${unitOf(retries[0]?.delay)} until the retry.`);
    says(documentationOf("RetryEvent", "retry"), `The number of the retry, from ${retries[0]?.retry}.`);
    for (const name of ["PetstoreError", "ErrorProperties"])
      says(documentationOf(name, "status"), `The HTTP status; ${retries[0]?.error.status} when there was no answer.`);
    expect(retries[0]?.error.requestId).toEndWith("-1");
  });

  /** The classes of errors that the package exports. */
  const errors = Object.entries(client).flatMap(([name, one]) =>
    typeof one === "function" && (one === PetstoreError || one.prototype instanceof PetstoreError)
      ? [{ name, of: one as typeof PetstoreError }]
      : [],
  );

  /** The statuses of the codes for which the client throws exactly this class. */
  async function statusesOf(one: typeof PetstoreError): Promise<string[]> {
    const statuses = new Set<string>();
    for (const [code, status] of Object.entries(publicStatuses)) {
      const fetch = async () => Response.json({ code, message: "No.", status }, { status });
      const petstore = await petstoreOf(service, { apiKey: "pets_live_x", fetch, maxRetries: 0, waitForLimits: false });
      const error = await petstore.listPets().catch((refusal: unknown) => refusal);
      if (Object(error).constructor === one) statuses.add(status < 500 ? `${status}` : "5xx");
    }
    return [...statuses].toSorted();
  }

  const statusesIn = (text = ""): string[] => [...(text.match(/\b\d(?:\d\d|xx)\b/g) ?? [])];

  test.each(errors)("the name of a $name, and its statuses", async ({ name, of }) => {
    const properties = { code: "connection_failed", status: 0, requestId: "r-1" } as const;
    expect(new of("", properties).name).toBe(name);
    const statuses = await statusesOf(of);
    if (of !== PetstoreError) expect(statusesIn(documentationOf(name))).toEqual(statuses);
    const [, row] = new RegExp(`^\\| \`${name}\`[^|]*\\|([^|]*)\\|`, "m").exec(read("client/README.md")) ?? [];
    expect(statusesIn(row)).toEqual(statuses);
  });
});
