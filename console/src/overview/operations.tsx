import type { Operation, Point } from "../api/responses.ts";
import { Badge } from "../components/badge.tsx";
import { Meter } from "../components/meter.tsx";
import { Panel } from "../components/page.tsx";
import { formatCount } from "../format/number.ts";

const names: [Operation, string][] = [
  ["listPets", "GET /pets"],
  ["createPet", "POST /pets"],
  ["getPet", "GET /pets/{petId}"],
  ["getUsage", "GET /usage"],
  ["other", "Other"],
];

/** How often each operation was called, over all `points`. */
export function Operations({ points }: { points: Point[] }) {
  const counts = names.map(([operation, name]) => ({
    operation,
    name,
    count: points.reduce((sum, { byOperation }) => sum + (byOperation[operation] ?? 0), 0),
  }));
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  return (
    <Panel title="Operations">
      <ul class="operations">
        {counts.map(({ operation, name, count }) => (
          <li key={operation}>
            <span class="name">
              {operation === "other" ? name : <code>{name}</code>}
              {operation === "getPet" && <Badge tone="warn">deprecated</Badge>}
            </span>
            <span class="number">{formatCount(count)}</span>
            <Meter label={name} value={count} max={total} tone="accent" />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
