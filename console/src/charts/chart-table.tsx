import { ScrollRegion } from "../components/scroll-region.tsx";
import { TableHead } from "../components/table-head.tsx";
import type { Series } from "./stack.ts";

type ChartTableProps = {
  label: string;
  times: number[];
  series: Series[];
  formatTime: (seconds: number) => string;
  formatValue: (value: number) => string;
};

/** The data of a chart as a table, newest first, without the times at which all counts are 0. */
export function ChartTable({ label, times, series, formatTime, formatValue }: ChartTableProps) {
  const rows = times
    .map((time, index) => ({ time, index }))
    .filter(({ index }) => series.some(({ values }) => values[index] !== 0));
  return (
    <ScrollRegion label={label}>
      <table>
        <TableHead columns={["Time", ...series.map(({ name }) => ({ title: name, isNumeric: true }))]} />
        <tbody>
          {rows.reverse().map(({ time, index }) => (
            <tr key={time}>
              <td>{formatTime(time)}</td>
              {series.map(({ name, values }) => (
                <td key={name} class="number">
                  {formatValue(values[index] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
