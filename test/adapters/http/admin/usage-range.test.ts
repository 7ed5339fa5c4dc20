import { expect, test } from "bun:test";
import { states } from "../../../support/markdown.ts";
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

test.each(["usage", "usage/plans"])("%s has as many points up to its end as it is asked for", async (path) => {
  states("docs/administration.md", "or has so many `points`, and ends at `to`, by default now.");
  const get = (query: string) => admin.get(`/admin/v1/${path}?resolution=hour&${query}`);
  const { body } = await get("points=168");
  const whole = (at: number) => new Date(at - (at % 3_600_000)).toISOString();
  expect([body.from, body.to]).toEqual([whole(service.now - 167 * 3_600_000), whole(service.now + 3_600_000)]);
  const past = (await get("points=2&to=2026-11-01T10:30:00Z")).body;
  expect([past.from, past.to]).toEqual(["2026-11-01T09:00:00.000Z", "2026-11-01T11:00:00.000Z"]);
  // A start says it already.
  const both = (await get("points=2&from=2026-11-01T08:30:00Z&to=2026-11-01T10:30:00Z")).body;
  expect(both.from).toBe("2026-11-01T08:00:00.000Z");
  for (const points of ["0", "1501", "x"]) {
    const { status, body: refused } = await get(`points=${points}`);
    expect([status, refused.details?.[0]?.field]).toEqual([400, "points"]);
  }
});
