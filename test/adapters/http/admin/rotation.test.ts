import { expect, test } from "bun:test";
import { useOperator, useService } from "../../../support/use-service.ts";

const service = useService();
const { client: admin } = useOperator(service);
const DAY = 86_400;

test.each<[string, object | undefined]>([
  ["without a body", undefined],
  ["with an empty body", {}],
])("after a rotation %s the old secret works for 24 hours, to the second", async (_name, body) => {
  const { id, secret } = await service.createKey();
  const path = `/admin/v1/keys/${id}/rotate`;
  const answer = body === undefined ? await admin.request(path, { method: "POST" }) : await admin.post(path, body);
  expect(answer.status).toBe(200);
  const codeOf = async (sent: string) => (await service.withSecret(sent).get("/v1/pets")).body?.code;
  await service.advance({ seconds: DAY - 1 });
  await service.forgetKeys();
  expect(await codeOf(secret)).toBeUndefined();
  await service.advance({ seconds: 1 });
  expect(await codeOf(secret)).toBe("expired_api_key");
  expect(await codeOf(answer.body.secret)).toBeUndefined();
});
