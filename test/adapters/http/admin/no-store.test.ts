import { expect, test } from "bun:test";
import { states } from "../../../support/markdown.ts";
import { anonymous } from "../../../support/operator.ts";
import { useOperator, useService } from "../../../support/use-service.ts";

const service = useService();
const { client: admin } = useOperator(service);

test("no browser or proxy keeps a response of the administration interface", async () => {
  states("docs/administration.md", "Each response has `X-Request-Id` and `Cache-Control: no-store`.");
  const paths = ["keys", "operators", "audit", "overview", "state", "session", "pets", "pets/export", "nothing"];
  const answers = await Promise.all([
    ...paths.map((path) => admin.get(`/admin/v1/${path}`)),
    anonymous(service).get("/admin/v1/keys"),
    admin.request("/admin/v1/keys", { method: "PUT" }),
    admin.post("/admin/v1/keys", { name: "test", plan: "free" }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([...Array(8).fill(200), 404, 401, 405, 201]);
  expect(answers.map(({ headers }) => headers.get("Cache-Control"))).toEqual(answers.map(() => "no-store"));
  expect(answers.filter(({ headers }) => !headers.has("X-Request-Id"))).toEqual([]);
});
