/** Makes calls of each outcome one after the other, and prints for each how it ended and what it leaves open. */
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** Whether the client calls this, and not the runtime. */
const isOurs = () => new Error().stack?.includes("/client/src/") === true;
const timers = new Set<unknown>();
const { setTimeout: start, clearTimeout: stop } = globalThis;
globalThis.setTimeout = ((run: (...given: unknown[]) => void, ms: number, ...given: unknown[]) => {
  const timer = start(() => {
    timers.delete(timer);
    run(...given);
  }, ms);
  if (isOurs()) timers.add(timer);
  return timer;
}) as typeof setTimeout;
globalThis.clearTimeout = ((timer: Timer) => {
  timers.delete(timer);
  stop(timer);
}) as typeof clearTimeout;
/** What the client waits to run when a signal aborts: it keeps these in sets. */
let callbacks = 0;
const { add, delete: remove } = Set.prototype;
Set.prototype.add = function (value: unknown) {
  if (typeof value === "function" && !this.has(value) && isOurs()) callbacks += 1;
  return add.call(this, value);
};
Set.prototype.delete = function (value: unknown) {
  if (typeof value === "function" && this.has(value) && isOurs()) callbacks -= 1;
  return remove.call(this, value);
};

const { PetstoreClient } = await import("../../src/main.ts");
const { realClock } = await import("../../src/clock.ts");

const USED_UP = 'RateLimit-Policy: "day";q=9;w=86400\r\nRateLimit: "day";r=0;t=600\r\n';
const answer = (status: string, body: string, headers = "", length = body.length) =>
  `HTTP/1.1 ${status}\r\n${headers}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
const AT_ONCE = "Retry-After: 0\r\n";
const PET = '{"id":1,"name":"Rex","categoryId":1,"status":"available"}';
/** What the service answers at an address that begins with this name, the first time and later. */
const answers: Record<string, string[]> = {
  lists: [answer("200 OK", "[]")],
  creates: [answer("201 Created", PET)],
  refuses: [answer("404 Not Found", '{"code":"pet_not_found","message":"There is none.","status":404}')],
  talks: [answer("200 OK", "not JSON")],
  closes: [],
  breaks: [answer("200 OK", "[", "", 9)],
  stalls: [answer("200 OK", "[", "", 9)],
  hangs: [],
  fails: [answer("503 Service Unavailable", "{}", "Retry-After: 600\r\n")],
  recovers: [
    answer("503 Service Unavailable", "{}", AT_ONCE),
    answer("429 Too Many Requests", "{}", AT_ONCE),
    answer("200 OK", "[]"),
  ],
  limits: [answer("200 OK", "[]", USED_UP)],
};
const connections = new Set<Socket>();
/** Those whose request was not answered as a whole. */
const busy = new Set<Socket>();
const counts = new Map<string, number>();
const server = createServer((socket) => {
  connections.add(socket);
  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    connections.delete(socket);
    busy.delete(socket);
  });
  socket.on("data", (bytes: Buffer) => {
    const [, name = ""] = /^[A-Z]+ \/(\w+)/.exec(bytes.toString("latin1")) ?? [];
    const texts = answers[name];
    if (texts === undefined) return;
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    busy.add(socket);
    const text = texts[count % texts.length];
    if (text !== undefined) socket.write(text);
    if (["closes", "breaks"].includes(name)) socket.end();
    if (!["closes", "breaks", "stalls", "hangs"].includes(name)) busy.delete(socket);
  });
}).listen(0, "127.0.0.1");
await once(server, "listening");
const address = server.address();
const port = typeof address === "object" ? address?.port : undefined;

const clock = { ...realClock, random: () => 0.004 };
/** A client whose calls have no end of their own while this program runs. */
const clientOf = (name: string, options = {}) =>
  new PetstoreClient({
    apiKey: "pets_live_x",
    baseUrl: `http://127.0.0.1:${port}/${name}/v1`,
    clock,
    timeout: 600_000,
    budget: 1_200_000,
    maxRetries: 0,
    ...options,
  });
/** Aborts once the condition holds. */
const abortWhen = async (controller: AbortController, isReady: () => boolean) => {
  while (!isReady()) await pause(1);
  controller.abort(new Error("aborted"));
};

type Scenario = (controller: AbortController) => Promise<unknown>;
const scenarios: Record<string, Scenario> = {
  success: ({ signal }) => clientOf("lists").listPets({}, { signal }),
  "an error": ({ signal }) => clientOf("refuses").getPet(1, { signal }),
  "no JSON": ({ signal }) => clientOf("talks").listPets({}, { signal }),
  "a closed connection": ({ signal }) => clientOf("closes").listPets({}, { signal }),
  "an incomplete body": ({ signal }) => clientOf("breaks").listPets({}, { signal }),
  "a time-out": ({ signal }) => clientOf("hangs").listPets({}, { signal, timeout: 20 }),
  "a time-out of the body": ({ signal }) => clientOf("stalls").listPets({}, { signal, timeout: 50 }),
  "the end of the budget": ({ signal }) => clientOf("hangs").listPets({}, { signal, budget: 20 }),
  "an abort before": (controller) => {
    controller.abort(new Error("aborted"));
    return clientOf("lists").listPets({}, controller);
  },
  "an abort of the request": (controller) => {
    abortWhen(controller, () => busy.size > 0);
    return clientOf("hangs").listPets({}, controller);
  },
  "an abort of the delay": (controller) => {
    const client = clientOf("fails", { maxRetries: 3, onRetry: () => abortWhen(controller, () => true) });
    return client.listPets({}, controller);
  },
  "an abort of the wait": async (controller) => {
    const client = clientOf("limits", { onWait: () => abortWhen(controller, () => true) });
    await client.listPets();
    return client.listPets({}, controller);
  },
  "no time to wait": async ({ signal }) => {
    const client = clientOf("limits");
    await client.listPets();
    return client.listPets({}, { signal, budget: 1_000 });
  },
  retries: ({ signal }) => clientOf("recovers", { maxRetries: 3 }).listPets({}, { signal }),
  "many at once": ({ signal }) => {
    const client = clientOf("lists");
    return Promise.all(Array.from({ length: 8 }, () => client.listPets({}, { signal })));
  },
  "many that are left": async ({ signal }) => {
    const pets = Array.from({ length: 9 }, () => ({ name: "Rex", categoryId: 1 }));
    for await (const _ of clientOf("creates").createPets(pets, { signal, concurrency: 3 })) break;
  },
  "a fetch that throws": ({ signal }) => {
    const fetch = () => {
      throw new TypeError("no network");
    };
    return clientOf("lists", { fetch }).listPets({}, { signal });
  },
};

/** At most so many connections wait for further requests: as many as there were requests at once. */
const MOST_IDLE = 8;
const isClean = () => timers.size === 0 && busy.size === 0;
const seen: Record<string, unknown> = {};
for (const [name, run] of Object.entries(scenarios)) {
  const controller = new AbortController();
  callbacks = 0;
  let ended = "";
  for (let i = 0; i < 3 && !controller.signal.aborted; i++) {
    ended = await run(controller).then(
      () => "ok",
      (error) => error.code ?? error.message,
    );
  }
  // What is closed in the background is closed by then.
  for (let tries = 0; tries < 400 && !isClean(); tries++) await pause(25);
  seen[name] = {
    ended,
    timers: timers.size,
    requests: busy.size,
    callbacks: controller.signal.aborted ? 0 : callbacks,
    idle: connections.size <= MOST_IDLE ? "few" : connections.size,
  };
  if (!isClean()) break;
}
console.log(JSON.stringify(seen));
for (const socket of connections) socket.destroy();
server.close();
if (!isClean()) process.exit();
