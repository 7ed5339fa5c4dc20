import { expect, test } from "bun:test";
import { once } from "node:events";
import { createServer } from "node:net";
import { BASE_URL } from "../support/client.ts";
import { besideLoad } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { freePort } from "../support/ports.ts";
import { commandFor, MAIN } from "../support/runtime.ts";
import { runtimes } from "../support/runtimes.ts";
import { useService } from "../support/use-service.ts";
import { SHOWN_PROGRAM, Workplace } from "./petstore.ts";

const service = useService();
const petstore = new Workplace(service);

test.each(["127.0.0.1", "0.0.0.0", "::"])("health of a service at %s that is ready exits 0", async (HOST) => {
  const { port } = new URL(service.url);
  const { code, stdout, stderr } = await petstore.run(["health"], { env: { HOST, PORT: port } });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "ready\n", stderr: "" });
});

test.each(runtimes)("health without a service exits 1, and names the address, on %s", async (runtime) => {
  states("docs/commands.md", "`petstore health` | Checks whether the running service is ready.");
  const port = String(await freePort());
  const env = { HOST: "127.0.0.1", PORT: port };
  const { code, stdout, stderr } = await petstore.run(["health"], { env, version: commandFor(MAIN, runtime) });
  expect({ code, stdout, stderr }).toEqual({
    ...{ code: 1, stdout: "" },
    stderr: `petstore: http://127.0.0.1:${port}/readyz does not answer: nothing listens there. Start the service with \`DATABASE_URL=${petstore.store.url} PORT=${port} PETSTORE_BASE_URL=${BASE_URL} ${SHOWN_PROGRAM} serve\`, or set HOST and PORT to its address.\n`,
  });
});

test("health names an IPv6 address as a URL has it", async () => {
  const port = String(await freePort());
  const { code, stderr } = await petstore.run(["health"], { env: { HOST: "::1", PORT: port } });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining(`http://[::1]:${port}/readyz does not answer: `),
  });
});

test("health of a service that does not answer exits 1 after two seconds", async () => {
  const hanging = createServer(() => {}).listen(0, "127.0.0.1");
  await once(hanging, "listening");
  const address = hanging.address();
  const port = String(typeof address === "object" ? address?.port : 0);
  const began = performance.now();
  const { code, stderr } = await petstore.run(["health"], { env: { HOST: "127.0.0.1", PORT: port } });
  expect(performance.now() - began).toBeWithin(1_900, besideLoad(4_000));
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining(`http://127.0.0.1:${port}/readyz does not answer: `),
  });
  hanging.close();
});

test("health of a service that is stopping exits 1", async () => {
  const { port } = new URL(service.url);
  const stopped = service.stop();
  const { code, stderr } = await petstore.run(["health"], { env: { HOST: "127.0.0.1", PORT: port } });
  expect(code).toBe(1);
  expect(stderr).toContain("answers 503");
  expect(await stopped).toBe(0);
});
