import { useState } from "preact/hooks";
import { withQuery } from "../api/call.ts";
import { useFetch } from "../api/hooks.ts";
import type { TopKeys as Top } from "../api/responses.ts";
import { SegmentedControl } from "../components/filters.tsx";
import { AsyncContent, Panel } from "../components/page.tsx";
import { TableHead } from "../components/table.tsx";
import { formatCount } from "../format.ts";
import { planName } from "../pages/key-labels.tsx";
import { keyHref } from "../route.ts";

const sorts = [
  ["requests", "Requests"],
  ["refusals", "Refusals"],
] as const;
const REFRESH_MS = 10_000;
const LIMIT = 10;

/** The keys with the most requests, or refusals, in the range of this query. */
export function TopKeys({ query }: { query: Record<string, string | number> }) {
  const [sort, setSort] = useState<"requests" | "refusals">("requests");
  const fetched = useFetch<Top>(withQuery("/usage/keys", { ...query, sort, limit: LIMIT }), REFRESH_MS);
  return (
    <Panel
      title="Busiest keys"
      aside={<SegmentedControl label="Busiest by" options={sorts} value={sort} onChange={setSort} />}
    >
      <AsyncContent fetched={fetched} lines={5}>
        {({ keys }) =>
          keys.length === 0 ? (
            <p class="quiet">{sort === "requests" ? "No key was used." : "No key was rate limited."}</p>
          ) : (
            <table class="cards">
              <TableHead
                columns={["Key", { title: "Requests", isNumeric: true }, { title: "Rate limited", isNumeric: true }]}
              />
              <tbody>
                {keys.map(({ keyId, keyName, plan, requests, refusals }) => (
                  <tr key={keyId}>
                    <th scope="row">
                      <a href={keyHref(keyId)}>{keyName}</a> <span class="faint">{planName(plan)}</span>
                    </th>
                    <td data-label="Requests" class="number">
                      {formatCount(requests)}
                    </td>
                    <td data-label="Rate limited" class="number">
                      {formatCount(refusals)}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </AsyncContent>
    </Panel>
  );
}
