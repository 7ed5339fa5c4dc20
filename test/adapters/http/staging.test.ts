import { describe, expect, test } from "bun:test";
import { newSecret } from "../../../src/domain/keys/secret.ts";
import { Workplace } from "../../commands/petstore.ts";
import { startService } from "../../support/service.ts";
import { newStore } from "../../support/store.ts";

test("a staging service accepts only staging keys, and uses its own address in links", async () => {
  const staging = "https://staging.petstore.test/v1";
  await using service = await startService({
    env: { PETSTORE_DEPLOYMENT: "staging", PETSTORE_STAGING_BASE_URL: staging },
  });
  const { secret } = await service.createKey({ plan: "free", scopes: ["pets:read"] });
  expect(secret).toStartWith("pets_stag_");
  const answer = await service.withSecret(secret).get("/v1/pets/1");
  expect(answer.status).toBe(404);
  expect(answer.headers.get("Link")).toStartWith(`<${staging}/pets?ids=1>; rel="successor-version"`);

  const other = await service.withSecret(newSecret("production")).get("/v1/pets");
  expect(other).toMatchObject({ status: 401, body: { code: "invalid_api_key" } });
  expect(other.body.message).toContain("this one is staging");
});

describe.each(["sqlite", "postgres"] as const)("a store on %s", (engine) => {
  test("is opened by the deployment that made it alone, by commands too", async () => {
    const store = await newStore(engine);
    const workplace = new Workplace({ store });
    const staging = { PETSTORE_DEPLOYMENT: "staging" };
    const create = ["keys", "create", "--name", "My app", "--plan", "free", "--json"];
    expect((await workplace.run([...create, "--create"], { env: staging })).json.key).toStartWith("pets_stag_");
    for (const args of [create, ["keys", "list"], ["pets", "export"], ["database", "migrate"]]) {
      const { code, stderr } = await workplace.run(args);
      expect({ args, code }).toEqual({ args, code: 1 });
      expect(stderr).toContain(
        "belongs to staging, and this is production. Set DATABASE_URL to a database of production, or PETSTORE_DEPLOYMENT to staging.",
      );
    }
    await expect(startService({ store })).rejects.toThrow("belongs to staging, and this is production");
    await (await startService({ store, env: staging })).remove();
  }, 60_000);
});
