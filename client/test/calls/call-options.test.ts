import { expect, test } from "bun:test";
import { states } from "../../../test/support/markdown.ts";
import { startService } from "../../../test/support/service.ts";
import { useService } from "../../../test/support/use-service.ts";
import { RateLimitError } from "../../src/main.ts";
import { startGateway } from "../support/gateway.ts";
import { petstoreOf, recorder } from "../support/petstore.ts";

const service = useService();

test("maxRetries of a call replaces the client's", async () => {
  states(
    "client/README.md",
    "The last argument of each method has the options of the call. `timeout`, `maxRetries` and `budget` replace those of the client.",
    "`maxRetries` | How often a failed request is sent again.",
  );
  const gateway = await startGateway(0, (answer) => Boolean(answer.writeHead(503).end()));
  const petstore = await petstoreOf(service, { baseUrl: gateway.url, maxRetries: 0 });
  await expect(petstore.listPets({}, { maxRetries: 2 })).rejects.toMatchObject({ status: 503 });
  expect(gateway.arrivals).toHaveLength(3);
  await expect(petstore.listPets({}, { maxRetries: undefined })).rejects.toMatchObject({ status: 503 });
  expect(gateway.arrivals).toHaveLength(4);
  gateway.close();
});

test("timeout of a call replaces the client's", async () => {
  states("client/README.md", "`timeout` | How long a single request may take, in ms.");
  const silent = await startGateway(0, () => true);
  const petstore = await petstoreOf(service, { baseUrl: silent.url, maxRetries: 0 });
  await expect(petstore.usage({ timeout: 20 })).rejects.toMatchObject({
    code: "timed_out",
    message: `${silent.url}/usage did not respond within 20 ms.`,
  });
  silent.close();
  states("client/README.md", "`timeout`, `maxRetries` and `budget` replace those of the client.");
});

test("budget of a call replaces the client's: it ends the retries, the wait for limits, and the request", async () => {
  states(
    "client/README.md",
    "`budget` | How long the call may take in total, waiting included, in ms. For methods that make several requests: each of them.",
  );
  states(
    "client/README.md",
    "`budget` | How long the call may take in total, waiting included, in ms.",
    "`budget` | 600,000 | How long a call may take in total, waiting included, in ms.",
  );
  const { secret } = await service.createKey({ limits: { perMinute: 1, perDay: 100 } });
  const petstore = await petstoreOf(service, { apiKey: secret });
  await petstore.listPets();
  await expect(petstore.listPets({}, { budget: 1_000 })).rejects.toBeInstanceOf(RateLimitError);

  const gateway = await startGateway(0, (answer) => Boolean(answer.writeHead(503, { "Retry-After": "10" }).end()));
  const failing = await petstoreOf(service, { baseUrl: gateway.url });
  await expect(failing.listPets({}, { budget: 5_000 })).rejects.toMatchObject({ status: 503 });
  expect(gateway.arrivals).toHaveLength(1);
  gateway.close();

  const silent = await startGateway(0, () => true);
  const patient = await petstoreOf(service, { baseUrl: silent.url });
  await expect(patient.listPets({}, { budget: 30 })).rejects.toMatchObject({ code: "timed_out" });
  silent.close();
});

test("headers of a call are sent beside the client's own, which they do not replace", async () => {
  states(
    "client/README.md",
    "`headers` | Further request headers, such as `Petstore-Simulate` to rehearse on staging. They do not replace those that the client sets itself.",
  );
  const { fetch, requests } = recorder();
  const { secret } = await service.createKey();
  const petstore = await petstoreOf(service, { apiKey: secret, fetch });
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const headers = { traceparent, authorization: "Bearer other", "x-request-id": "mine", "CONTENT-TYPE": "text/plain" };
  await petstore.createPet({ name: "Traced", categoryId: 1 }, { headers });
  expect(requests[0]?.headers).toMatchObject({
    traceparent,
    authorization: `Bearer ${secret}`,
    "content-type": "application/json",
    "x-request-id": expect.stringMatching(/^[0-9a-f]{32}-1$/),
  });
  await expect(petstore.listPets({}, { headers: { name: "a\nb" } })).rejects.toThrow(TypeError);
  expect(requests).toHaveLength(1);
  states("client/README.md", "They do not replace those that the client sets itself.");
});

test("a rehearsed error is sent again with each retry, and a rehearsed 429 is believed", async () => {
  states("docs/rehearsal.md", "The client sends further headers with each call.");
  states(
    "docs/rehearsal.md",
    "Its retries send them again: a rehearsed error does not go away by itself. The client also believes a rehearsed 429: until its reset, later calls of the same client wait, or fail without a request.",
  );
  states(
    "client/README.md",
    "`headers` | Further request headers, such as `Petstore-Simulate` to rehearse on staging.",
    "`maxRetries` | How often a failed request is sent again.",
  );
  await using staging = await startService({ env: { PETSTORE_DEPLOYMENT: "staging" } });
  const { fetch, requests } = recorder();
  const clock = { now: () => staging.now, random: () => 0, sleep: async () => {} };
  const petstore = await petstoreOf(staging, { fetch, clock });
  const rehearsing = (code: string) => ({ headers: { "Petstore-Simulate": code } });
  const failed = petstore.listPets({}, { ...rehearsing("internal_error"), maxRetries: 2 });
  await expect(failed).rejects.toMatchObject({ code: "internal_error" });
  expect(requests).toHaveLength(3);
  const refused = petstore.listPets({}, { ...rehearsing("quota_exceeded"), maxRetries: 0 });
  await expect(refused).rejects.toMatchObject({ code: "quota_exceeded" });
  await expect(petstore.listPets()).rejects.toBeInstanceOf(RateLimitError);
  expect(requests).toHaveLength(4);
});
