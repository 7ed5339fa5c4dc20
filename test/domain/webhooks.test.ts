import { expect, test } from "bun:test";
import { countsByState, type Endpoint } from "../../src/domain/webhooks.ts";

const endpoint = (more: Partial<Endpoint> = {}): Endpoint => ({
  ...{ id: "whe_1", url: "https://shop.example.com/", types: [], description: "", secrets: [], createdAt: 1 },
  ...{ position: 7, failures: 0, revision: 0, ...more },
});
const disabled = (by: "operator" | "service") => ({ at: 1, by, reason: "any" });

test("each endpoint is counted in one state: those that the service disabled are failed, however often they have failed", () => {
  const none = { enabled: 0, failing: 0, disabled: 0, failed: 0 };
  for (const failures of [0, 3]) {
    const usable = failures === 0 ? "enabled" : "failing";
    expect(countsByState([endpoint({ failures })])).toEqual({ ...none, [usable]: 1 });
    for (const [by, state] of [
      ["operator", "disabled"],
      ["service", "failed"],
    ] as const)
      expect(countsByState([endpoint({ failures, disabled: disabled(by) })])).toEqual({ ...none, [state]: 1 });
  }
  const all = [endpoint(), endpoint(), endpoint({ failures: 1 }), endpoint({ disabled: disabled("service") })];
  expect(countsByState(all)).toEqual({ enabled: 2, failing: 1, disabled: 0, failed: 1 });
});
