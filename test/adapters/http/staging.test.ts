import { expect, test } from "bun:test";
import { newSecret } from "../../../src/domain/keys/secret.ts";
import { startService } from "../../support/service.ts";

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
