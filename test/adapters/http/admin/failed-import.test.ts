import { expect, test } from "bun:test";
import { INT64_MAX } from "../../../../src/domain/int64.ts";
import { states } from "../../../support/markdown.ts";
import { useOperator, useService } from "../../../support/use-service.ts";

const service = useService();
const { client: admin } = useOperator(service);

test("an import that the store ends reports what was added, hides the cause, and is logged", async () => {
  states(
    "docs/administration.md",
    'An import that is interrupted ends with `"done":false` and an `error`; pets that were imported until then stay.',
  );
  await using store = await service.store.connect();
  const pets = '{"name":"Rex","categoryId":1}\n'.repeat(2_000);
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  const writer = writable.getWriter();
  const send = (text: string) => writer.write(new TextEncoder().encode(text));
  const answered = admin.request("/admin/v1/pets/import", {
    method: "POST",
    headers: { "Content-Type": "application/x-ndjson", "X-Request-Id": "import-1" },
    body: readable,
  });
  await send(pets);
  const added = async () => (await service.stores.pets.list({ limit: 1, after: INT64_MAX, order: "desc" }))[0]?.id;
  while (((await added()) ?? 0) < 1_500) await new Promise((resolve) => setTimeout(resolve, 20));
  await store.lockPets();
  await send(pets);
  await writer.close();
  const { text } = await answered;
  await store.run("COMMIT");
  const last = JSON.parse(text.trimEnd().split("\n").at(-1) ?? "{}");
  expect(last).toMatchObject({
    done: false,
    imported: await added(),
    rejected: 0,
    lastLine: await added(),
    error: { code: "service_unavailable" },
  });
  expect(text).not.toMatch(/sqlite|postgres|lock|busy|timeout/i);
  expect(service.output.some((line) => line.includes("import-1") && line.includes('"level":50'))).toBe(true);
});
