import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { themeEvents } from "../theme.ts";
import { Button } from "./button.tsx";
import { AXIS_WIDTH, createPlot, type HoveredPoint, type PlotOptions, type Series, stacked } from "./plot.ts";
import { ScrollRegion, TableHead } from "./table.tsx";

type ChartTableProps = {
  label: string;
  times: number[];
  series: Series[];
  formatTime: (seconds: number) => string;
  formatValue: (value: number) => string;
};

/** The data of a chart as a table, newest first, without the times at which all counts are 0. */
function ChartTable({ label, times, series, formatTime, formatValue }: ChartTableProps) {
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

type TooltipProps = { point: HoveredPoint; width: number; children: ComponentChildren };

/** A box to the right of the pointer, or to its left in the right half of the plot. */
function Tooltip({ point, width, children }: TooltipProps) {
  const isLeft = point.left > width / 2;
  return (
    <div
      class={isLeft ? "tooltip left" : "tooltip"}
      style={{ left: `${point.left + AXIS_WIDTH}px` }}
      aria-hidden="true"
    >
      {children}
    </div>
  );
}

type ChartProps = {
  /** What is counted, for screen readers. */
  label: string;
  /** Unix seconds. */
  times: number[];
  series: Series[];
  /** A time (Unix seconds) in full, for the tooltip and the table. */
  formatTime: (seconds: number) => string;
  plot: PlotOptions;
};

/** A stacked chart of counts over time, which the reader can switch to a table. */
export function Chart({ label, times, series, formatTime, plot }: ChartProps) {
  const container = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const [isTable, setTable] = useState(false);
  const [hovered, setHovered] = useState<HoveredPoint>();
  const [themeVersion, setThemeVersion] = useState(0);
  const names = series.map(({ name }) => name).join();
  const identity = `${plot.kind} ${plot.ticks.every} ${names} ${themeVersion} ${isTable}`;

  useEffect(() => {
    const update = () => setThemeVersion((version) => version + 1);
    themeEvents.addEventListener("change", update);
    return () => themeEvents.removeEventListener("change", update);
  }, []);

  const newest = useRef(plot);
  newest.current = plot;
  // A new kind, series or theme needs a new plot; new counts only update its data.
  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    const live: PlotOptions = {
      kind: plot.kind,
      ticks: plot.ticks,
      formatTick: (seconds) => newest.current.formatTick(seconds),
      formatValue: (value) => newest.current.formatValue(value),
      get span() {
        return newest.current.span;
      },
    };
    const created = createPlot(element, stacked(times, series), series, live, setHovered);
    chart.current = created;
    const observer = new ResizeObserver(() => created.setSize({ width: element.clientWidth, height: created.height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      created.destroy();
      chart.current = undefined;
    };
  }, [identity]);
  useEffect(() => chart.current?.setData(stacked(times, series)), [times, series]);

  const sum = ({ values }: Series) => values.reduce((total, value) => total + value, 0);
  const nonZero = series.filter((one) => sum(one) > 0);
  return (
    <figure class="chart" aria-label={label}>
      {isTable ? (
        <ChartTable
          label={label}
          times={times}
          series={series}
          formatTime={formatTime}
          formatValue={plot.formatValue}
        />
      ) : (
        <div class="plot" role="img" aria-label={`${label}. The button below shows a table.`}>
          <div ref={container} />
          {hovered !== undefined && times[hovered.index] !== undefined && (
            <Tooltip point={hovered} width={container.current?.clientWidth ?? 0}>
              <strong>{formatTime(times[hovered.index] ?? 0)}</strong>
              {[...series].reverse().map(({ name, colour, values }) => (
                <span key={name}>
                  <i class={`swatch ${colour}`} />
                  {name} <b>{plot.formatValue(values[hovered.index] ?? 0)}</b>
                </span>
              ))}
            </Tooltip>
          )}
        </div>
      )}
      <figcaption>
        {(nonZero.length === 0 ? series.slice(0, 1) : nonZero).map(({ name, colour }) => (
          <span key={name}>
            <i class={`swatch ${colour}`} />
            {name}
          </span>
        ))}
        <Button onClick={() => setTable(!isTable)}>{isTable ? "Show chart" : "Show table"}</Button>
      </figcaption>
    </figure>
  );
}
