import { describe, expect, test } from "bun:test";
import { generateSecret } from "../../../../src/domain/keys/secret.ts";
import { anonymous, browserWith } from "../../../support/operator.ts";
import { useOperator, useService } from "../../../support/use-service.ts";

const LIMIT = 5;
const env = { PETSTORE_TRUSTED_PROXIES: "127.0.0.1", PETSTORE_ADDRESS_LIMIT: String(LIMIT) };
const service = useService({ env });
const { client: admin } = useOperator(service);

let addresses = 0;
const PATH = "/admin/v1/keys";
const token = () => ({ Authorization: `Bearer ${generateSecret("pets_oper_")}` });
const session = () => ({ Cookie: `petstore_session_production=${generateSecret("pets_sess_")}` });

describe.each<[string, () => Record<string, string>]>([
  ["without credentials", () => ({})],
  ["with unknown tokens", token],
  ["with unknown sessions", session],
])("requests %s", (_name, wrong) => {
  test("are limited by client address, while valid credentials are not", async () => {
    const address = { "X-Forwarded-For": `192.0.2.${++addresses}` };
    for (let i = 0; i < LIMIT; i++) {
      expect((await anonymous(service).get(PATH, { ...wrong(), ...address })).status).toBe(401);
    }
    const refused = await anonymous(service).get(PATH, { ...wrong(), ...address });
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limit_exceeded"]);
    expect(refused.headers.get("Retry-After")).toBe("60");
    expect((await admin.get(PATH, address)).status).toBe(200);
    expect((await anonymous(service).get(PATH, { "X-Forwarded-For": "198.51.100.1" })).status).toBe(401);
    await service.advance({ seconds: 60 });
    const again = await anonymous(service).get(PATH, { ...wrong(), ...address });
    expect(again.status).toBe(401);
    expect(again.headers.get("WWW-Authenticate")).toBe('Bearer realm="petstore administration"');
  });
});

test("an unknown session is cleared in the browser", async () => {
  const answer = await browserWith(service, session().Cookie).get(PATH, { "X-Forwarded-For": "198.51.100.2" });
  expect(answer.headers.get("Set-Cookie")).toStartWith("petstore_session_production=; Max-Age=0;");
});

test.each([
  ["cross-site", "do not count, and are refused"],
  ["same-site", "do not count, and are refused"],
  ["same-origin", "count"],
  ["none", "count"],
])("requests of which a browser says that their site is %s %s", async (site, what) => {
  const address = { "X-Forwarded-For": `198.51.100.${10 + ++addresses}` };
  for (let i = 0; i < LIMIT; i++) {
    const answer = await anonymous(service).get(PATH, { ...address, "Sec-Fetch-Site": site });
    expect(answer.status).toBe(401);
  }
  const next = await anonymous(service).get(PATH, address);
  expect(next.status).toBe(what === "count" ? 429 : 401);
});
