import { expect, test } from "bun:test";
import { useOperator, useService } from "../../../support/use-service.ts";

const service = useService();
const { client: admin } = useOperator(service);

/** The answer about the minutes from 10:00 to so many minutes later. */
const minutesTo = (later: number) => {
  const at = (minutes: number) => new Date(Date.UTC(2026, 11, 2, 10) + minutes * 60_000).toISOString();
  return admin.get(`/admin/v1/usage?resolution=minute&from=${at(0)}&to=${at(later)}`);
};

test.each([
  [0, 1],
  [1, 2],
  [1_499, 1_500],
])("a range whose last minute is %i minutes after its first has %i points", async (later, points) => {
  const { status, body } = await minutesTo(later);
  expect(status).toBe(200);
  expect(body.points).toHaveLength(points);
});

test.each([
  [1_500, "must be so late that there are at most 1500 points"],
  [-1, "must not be later than to"],
])("a range whose last minute is %i minutes after its first is refused", async (later, problem) => {
  const { status, body } = await minutesTo(later);
  expect([status, body.code]).toEqual([400, "invalid_parameter"]);
  expect(body.details).toEqual([{ in: "query", field: "from", problem }]);
});
