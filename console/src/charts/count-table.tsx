import type { Looks } from "./drawing.ts";
import type { Series } from "./stack.ts";

/** What is shown of counts, as a drawing or as a table. */
export type Shown = {
  /** What is counted, for those who do not see the drawing. */
  label: string;
  times: number[];
  series: Series[];
  looks: Looks;
  /** A moment (Unix seconds) in full. */
  moment: (seconds: number) => string;
};

/** What a chart shows, newest first, without the moments at which nothing was counted. */
export function CountTable({ label, times, series, looks, moment }: Shown) {
  const rows = times
    .map((time, at) => ({ time, at }))
    .filter(({ at }) => series.some(({ values }) => values[at] !== 0));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with keys
    <section class="scroller" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ name }) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.reverse().map(({ time, at }) => (
            <tr key={time}>
              <td>{moment(time)}</td>
              {series.map(({ name, values }) => (
                <td key={name} class="number">
                  {looks.count(values[at] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
