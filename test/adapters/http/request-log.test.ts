import { expect, test } from "bun:test";
import { bearer } from "../../support/client.ts";
import { eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { anonymous } from "../../support/operator.ts";
import { useService } from "../../support/use-service.ts";

const service = useService({ env: { PETSTORE_REQUEST_LOG: "true" } });

/** The log entry of the request with this id. The output of the process arrives after the response. */
async function entryOf(requestId: string) {
  const lines = () => service.output.filter((line) => line.includes(`"${requestId}"`));
  await eventually(() => lines().length > 0);
  expect(lines()).toHaveLength(1);
  return JSON.parse(lines()[0] ?? "");
}

test("every request to either listener is logged once, with its key, and without query and headers", async () => {
  states("SECURITY.md", "API keys in logs | Headers, bodies and query strings are never logged");
  states("docs/settings.md", "`true` logs every request.");
  states("docs/interface.md", "which identifies the request in the service's log.");
  states(
    "docs/monitoring.md",
    "`request` | info | Each response, if `PETSTORE_REQUEST_LOG=true`: method, path, status, milliseconds, request id, key id;",
    "`administration request` | info | The same for the administration listener, without a key id.",
    "headers, bodies, query strings",
  );
  const { id, secret } = await service.createKey();
  const { client: operator, token } = await service.withOperator();
  const key = service.withSecret(secret);
  const as = (requestId: string) => ({ "X-Request-Id": requestId });
  await key.get("/v1/pets?status=sold", as("list"));
  await key.get("/v1/nothing", as("wrong-path"));
  await service.anonymous().get("/v1/pets", as("no-key"));
  await service.anonymous().get("/livez?x=secret", as("probe"));
  await service.anonymous().get("/nothing", { ...as("no-page"), ...bearer(secret) });
  await operator.get("/admin/v1/keys?search=secret", as("keys"));
  await anonymous(service).get("/livez", as("admin-probe"));

  const expected = {
    list: { method: "GET", path: "/v1/pets", status: 200, keyId: id, msg: "request" },
    "wrong-path": { path: "/v1/nothing", status: 404, keyId: id },
    "no-key": { path: "/v1/pets", status: 401 },
    probe: { path: "/livez", status: 200 },
    "no-page": { path: "/nothing", status: 404 },
    keys: { path: "/admin/v1/keys", status: 200, msg: "administration request" },
    "admin-probe": { path: "/livez", status: 200, msg: "administration request" },
  };
  for (const [requestId, entry] of Object.entries(expected)) {
    expect(await entryOf(requestId)).toMatchObject({
      level: 30,
      requestId,
      milliseconds: expect.any(Number),
      ...entry,
    });
  }
  expect(service.output.join("\n")).not.toContain("secret");
  expect(service.output.join("\n")).not.toContain(secret);
  expect(service.output.join("\n")).not.toContain(token);
});

test("a key in a path is not logged, however it is encoded", async () => {
  states("docs/monitoring.md", "and paths are cut as those of the request history)");
  const { secret } = await service.createKey();
  const twice = secret.replaceAll("_", "%255f");
  const once = secret.replaceAll("_", "%5F");
  await service.anonymous().get(`/v1/pets/${twice}`, { "X-Request-Id": "twice" });
  await service.anonymous().get(`/pages/${twice}`, { "X-Request-Id": "page" });
  await service.anonymous().get(`/v1/pets/${once}`, { "X-Request-Id": "once" });
  await anonymous(service).get(`/admin/v1/keys/${twice}`, { "X-Request-Id": "admin-twice" });
  expect(await entryOf("twice")).toMatchObject({ path: "/v1/pets/pets[...]" });
  expect(await entryOf("page")).toMatchObject({ path: "/pages/pets[...]" });
  expect(await entryOf("once")).toMatchObject({ path: "/v1/pets/[key]" });
  expect(await entryOf("admin-twice")).toMatchObject({ path: "/admin/v1/keys/pets[...]" });
  const [, , random = ""] = secret.split("_");
  expect(service.output.join("\n")).not.toContain(random);
});
