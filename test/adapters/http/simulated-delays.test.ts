import { describe, expect, test } from "bun:test";
import { Connection } from "../../attack/connection.ts";
import type { Client } from "../../support/client.ts";
import { describes } from "../../support/descriptions.ts";
import { besideLoad, eventually } from "../../support/eventually.ts";
import { requestText } from "../../support/keep-alive.ts";
import { states } from "../../support/markdown.ts";
import { startService } from "../../support/service.ts";
import { useKey, useOperator, useService } from "../../support/use-service.ts";

const STAGING = { env: { PETSTORE_DEPLOYMENT: "staging", PETSTORE_REQUEST_LOG: "true" } };
/** The longest delay, in ms. */
const LONGEST = 30_000;
const REX = { name: "Rex", categoryId: 1 };
const delayed = (ms: number, more = "") => ({ "Petstore-Simulate": `delay=${ms}${more}` });

describe("a delay", () => {
  const service = useService(STAGING);
  const { key, client } = useKey(service);
  const { client: operator } = useOperator(service);

  test("comes before any answer", async () => {
    states("README.md", "rehearses each error, delay");
    for (const [path, status] of [
      ["/v1/pets", 200],
      ["/v1/pets?limit=0", 400],
      ["/v1/nothing", 404],
    ] as const) {
      const startedAt = performance.now();
      const answer = await client.get(path, delayed(150));
      expect(performance.now() - startedAt).toBeWithin(148, besideLoad(2_000));
      expect(answer.status).toBe(status);
      expect(answer.headers.get("Petstore-Simulated")).toBe("delay=150");
    }
    const banned = await client.get("/v1/pets", delayed(100, ",key_banned"));
    expect(banned).toMatchObject({ status: 429, body: { code: "key_banned" } });
    expect(banned.headers.get("Petstore-Simulated")).toBe("delay=100, key_banned");
  });

  test("is a part of the duration that the log and the history have", async () => {
    states(
      "docs/your-key.md",
      "`at`, `duration` | string, number | The time of its response, and how long it took, in ms",
    );
    describes("OwnRequest.duration", "From its arrival until its response, in ms.");
    const requestId = (await client.get("/v1/pets", delayed(150))).headers.get("X-Request-Id");
    const logged = () => service.output.find((line) => line.includes(`"requestId":"${requestId}"`));
    await eventually(() => logged() !== undefined);
    expect(JSON.parse(logged() ?? "").milliseconds).toBeGreaterThanOrEqual(148);
    const kept = async () => (await operator.get(`/admin/v1/requests/${requestId}`)).body.requests?.[0];
    await eventually(async () => (await kept()) !== undefined);
    expect((await kept()).duration).toBeGreaterThanOrEqual(148);
  });

  test("ends before the time that the history of the key has", async () => {
    describes("OwnRequest.at", "The time of its response.");
    await service.runClock();
    const requestId = (await client.get("/v1/pets", delayed(1_500))).headers.get("X-Request-Id");
    const found = async () => (await operator.get(`/admin/v1/requests/${requestId}`)).body.requests?.length > 0;
    await eventually(found);
    const { body } = await client.get("/v1/key/requests");
    const entry = body.find((one: { requestId: string }) => one.requestId === requestId);
    expect(Date.parse(entry.at)).toBeGreaterThanOrEqual(service.now + 1_490);
    await service.setClock(service.now);
  });

  test("holds up no other request of the key", async () => {
    const slow = client.get("/v1/pets", delayed(2_000));
    const first = await Promise.race([slow, client.get("/v1/pets").then(() => "the other")]);
    expect(first).toBe("the other");
    expect((await slow).status).toBe(200);
  });

  test.each(["close", "reset", "endSending"] as const)(
    "comes after the work: a client that leaves finds it done, and the delay ends: %s",
    async (leave) => {
      states(
        "docs/rehearsal.md",
        "`delay=<ms>` | The response comes so much later: 0 to 30,000 ms. The work is done before.",
      );
      const startedAt = performance.now();
      const connection = await Connection.open(service.url);
      const body = JSON.stringify({ ...REX, name: leave });
      const headers = { "X-Request-Id": leave, ...delayed(LONGEST) };
      connection.send(requestText("POST", "/v1/pets", key.secret, body, headers));
      await eventually(async () => (await client.get(`/v1/pets?name=${leave}`)).body.length === 1);
      connection[leave]();
      // It is logged after the delay.
      await eventually(async () => service.output.some((line) => line.includes(`"requestId":"${leave}"`)));
      expect(performance.now() - startedAt).toBeLessThan(LONGEST);
      if (leave === "endSending")
        expect((await connection.untilClosed(LONGEST)).answers).toMatchObject([{ status: 201 }]);
      connection.close();
      states(
        "docs/rehearsal.md",
        "The work is done before.",
        "Delays end when you close the connection or your side of it, and when the service stops.",
      );
    },
  );

  test("holds up a request that is pipelined behind it", async () => {
    states("docs/rehearsal.md", "A request that is pipelined behind a delayed one waits too.");
    const connection = await Connection.open(service.url);
    const get = (id: string, headers = {}) =>
      requestText("GET", "/v1/pets?limit=1", key.secret, undefined, { "X-Request-Id": id, ...headers });
    const startedAt = performance.now();
    connection.send(get("delayed", delayed(150)) + get("behind"));
    const { answers } = await connection.untilAnswered(2, LONGEST);
    expect(answers.map(({ headers }) => headers.get("X-Request-Id"))).toEqual(["delayed", "behind"]);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(148);
    connection.close();
  });

  test("outlasts the idle time-out of a connection, which works afterwards", async () => {
    const connection = await Connection.open(service.url);
    const get = (headers = {}) => requestText("GET", "/v1/pets?limit=1", key.secret, undefined, headers);
    const slow = await connection.ask("GET", get(delayed(13_000)), 30_000);
    expect(slow?.status).toBe(200);
    expect((await connection.ask("GET", get(), 30_000))?.status).toBe(200);
    connection.close();
  });
});

describe("many delays", () => {
  const service = useService(STAGING);

  test("of one key leave places to others; beyond 1,000 no key gets one, until clients have left", async () => {
    states(
      "docs/rehearsal.md",
      "1,000 requests can wait at once in a process, 100 of them with one key; one more is 400.",
    );
    const secrets = (await Promise.all(Array.from({ length: 11 }, () => service.createKey()))).map((key) => key.secret);
    const open = async (secret: string) => {
      const connection = await Connection.open(service.url);
      connection.send(requestText("GET", "/v1/pets", secret, undefined, delayed(LONGEST)));
      return connection;
    };
    const connections: Connection[] = [];
    const fill = async (secret: string) => {
      connections.push(...(await Promise.all(Array.from({ length: 100 }, () => open(secret)))));
    };
    const refusalOf = async (client: Client, filling: string[]) => {
      await eventually(async () => {
        // A store that is busy may have refused some.
        for (const secret of filling) connections.push(await open(secret));
        return (await client.get("/v1/pets", delayed(0))).status === 400;
      });
      const refused = await client.get("/v1/pets", delayed(0));
      expect(refused.body.code).toBe("invalid_parameter");
      expect(refused.headers.get("Petstore-Simulated")).toBeNull();
      expect((await client.post("/v1/pets", REX)).status).toBe(201);
      return refused.body.message;
    };

    const first = service.withSecret(secrets[0] ?? "");
    const last = service.withSecret(secrets[10] ?? "");
    const [mine = "", ...others] = secrets.slice(0, 10);
    await fill(mine);
    expect(await refusalOf(first, [mine])).toContain("100 requests of this key wait already");
    expect((await last.get("/v1/pets", delayed(0))).status).toBe(200);
    for (const secret of others) await fill(secret);
    expect(await refusalOf(last, others)).toContain("1000 requests wait already");
    const leftAt = performance.now();
    for (const connection of connections) connection.close();
    for (const client of [first, last]) {
      await eventually(async () => (await client.get("/v1/pets", delayed(0))).status === 200);
    }
    expect(performance.now() - leftAt).toBeLessThan(LONGEST / 2);
  });
});

test("a stop ends delays at once: each client still gets its answer", async () => {
  await using service = await startService(STAGING);
  const client = await service.withKey();
  const slow = Array.from({ length: 10 }, () => client.get("/v1/pets", delayed(LONGEST)));
  await eventually(async () => (await client.get("/v1/usage")).body.minute.used === 10);
  const startedAt = performance.now();
  const stopped = service.stop();
  for (const answer of await Promise.all(slow)) {
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Petstore-Simulated")).toBe(`delay=${LONGEST}`);
  }
  expect(await stopped).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(besideLoad(25_000));
});
