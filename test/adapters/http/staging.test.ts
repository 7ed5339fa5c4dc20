import { expect, test } from "bun:test";
import { newSecret } from "../../../src/domain/keys/secret.ts";
import { states } from "../../support/markdown.ts";
import { startService } from "../../support/service.ts";

test("a staging service accepts only staging keys, and uses its own address in links", async () => {
  states("docs/settings.md", "`Link` headers and the OpenAPI document contain it.");
  const staging = "https://staging.petstore.test/v1";
  await using service = await startService({
    env: { PETSTORE_DEPLOYMENT: "staging", PETSTORE_STAGING_BASE_URL: staging },
  });
  const { secret } = await service.createKey({ plan: "free", scopes: ["pets:read"] });
  expect(secret).toStartWith("pets_stag_");
  const answer = await service.withSecret(secret).get("/v1/pets/1");
  expect(answer.status).toBe(404);
  expect(answer.headers.get("Link")).toStartWith(`<${staging}/pets?ids=1>; rel="successor-version"`);
  const { text } = await service.anonymous().get("/.well-known/api-catalog");
  expect(JSON.parse(text).linkset.map(({ anchor }: { anchor: string }) => anchor)).toEqual([staging]);

  const { client: operator } = await service.withOperator("viewer");
  const { body: state } = await operator.get("/admin/v1/state");
  expect([state.deployment, state.publicUrl]).toEqual(["staging", staging]);

  const other = await service.withSecret(newSecret("production")).get("/v1/pets");
  expect(other).toMatchObject({ status: 401, body: { code: "invalid_api_key" } });
  expect(other.body.message).toContain("this one is staging");
  states("docs/interface.md", "Each has its own base address, keys and pets; a key of one is refused by the other.");
});
