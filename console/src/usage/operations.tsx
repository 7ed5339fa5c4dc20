import { useFetch } from "../api/fetched.ts";
import type { Point, ServiceState } from "../api/responses.ts";
import { Badge } from "../components/badge.tsx";
import { Meter } from "../components/meter.tsx";
import { Panel } from "../components/page.tsx";
import { formatCount } from "../format/number.ts";

/** How often each operation was called, over all `points`: those that were. */
export function Operations({ points }: { points: Point[] }) {
  const { value: state } = useFetch<ServiceState>("/state");
  const counts = Object.keys(points[0]?.byOperation ?? {})
    .map((id) => ({ id, count: points.reduce((sum, { byOperation }) => sum + (byOperation[id] ?? 0), 0) }))
    .filter(({ count }) => count > 0)
    .map(({ id, count }) => {
      const operation = state?.operations.find((one) => one.id === id);
      const label = operation === undefined ? (id === "other" ? "Other" : id) : `${operation.method} ${operation.path}`;
      return { id, operation, label, count };
    });
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  return (
    <Panel title="Operations">
      {total === 0 && <p class="quiet">No operation was called.</p>}
      <ul class="operations">
        {counts.map(({ id, operation, label, count }) => (
          <li key={id}>
            <span class="name">
              {operation === undefined ? label : <code>{label}</code>}
              {operation?.isDeprecated && <Badge tone="warn">deprecated</Badge>}
            </span>
            <span class="number">{formatCount(count)}</span>
            <Meter label={label} value={count} max={total} tone="accent" />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
