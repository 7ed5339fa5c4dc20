import type { Operation, Point } from "../api/answers.ts";
import { Badge } from "../parts/badge.tsx";
import { Meter } from "../parts/meter.tsx";
import { Panel } from "../parts/page.tsx";
import { inFull } from "../words/number.ts";

const names: [Operation, string][] = [
  ["listPets", "GET /pets"],
  ["createPet", "POST /pets"],
  ["getPet", "GET /pets/{petId}"],
  ["getUsage", "GET /usage"],
  ["other", "Anything else"],
];

/** What was called how often, over all these points. */
export function Operations({ points }: { points: Point[] }) {
  const counts = names.map(([operation, name]) => ({
    operation,
    name,
    count: points.reduce((sum, { byOperation }) => sum + (byOperation[operation] ?? 0), 0),
  }));
  const all = counts.reduce((sum, { count }) => sum + count, 0);
  return (
    <Panel title="Operations">
      <ul class="operations">
        {counts.map(({ operation, name, count }) => (
          <li key={operation}>
            <span class="name">
              {operation === "other" ? name : <code>{name}</code>}
              {operation === "getPet" && <Badge tone="warn">deprecated</Badge>}
            </span>
            <span class="number">{inFull(count)}</span>
            <Meter label={name} value={count} of={all} tone="accent" />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
