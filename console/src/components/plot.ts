import uPlot, { type AlignedData, type Options } from "uplot";

/** Counts of one kind by time. `colour` is a CSS custom property, without its dashes. */
export type Series = { name: string; colour: string; values: number[] };

/**
 * The data of a stacked chart with the first series at the bottom. The highest sums come first, so that the plot paints
 * each over the one before. `times` are Unix seconds.
 */
export function stacked(times: number[], series: Series[]): AlignedData {
  const sums: number[][] = [];
  const total = times.map(() => 0);
  for (const { values } of series) {
    values.forEach((value, index) => {
      total[index] = (total[index] ?? 0) + value;
    });
    sums.push([...total]);
  }
  return [times, ...sums.reverse()];
}

const HEIGHT = 216;
const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
/** The width of the value axis, in pixels. */
export const AXIS_WIDTH = 52;
/** The width that the label of a tick needs, in pixels. */
const TICK_WIDTH = 84;

export type PlotOptions = {
  kind: "bars" | "area";
  /** The first and last time, in Unix seconds, also where nothing was counted. */
  span: [number, number];
  /** The smallest distance of two ticks on the time axis, and the offset of ticks from whole ones in UTC, in seconds. */
  ticks: { every: number; offset: number };
  /** The label of a tick, given Unix seconds. */
  formatTick: (seconds: number) => string;
  formatValue: (value: number) => string;
};

/** The index of the time under the pointer, and its distance from the value axis, in pixels. */
export type HoveredPoint = { index: number; left: number };

/** Creates a plot in `container`, as wide as that. `onHover` gets undefined when the pointer leaves. */
export function createPlot(
  container: HTMLElement,
  data: AlignedData,
  series: Series[],
  plot: PlotOptions,
  onHover: (point: HoveredPoint | undefined) => void,
): uPlot {
  const resolve = (colour: string) => {
    const probe = container.appendChild(document.createElement("span"));
    probe.style.color = `var(--${colour})`;
    probe.style.forcedColorAdjust = "none";
    const resolved = getComputedStyle(probe).color;
    probe.remove();
    return resolved;
  };
  const axis = { font: FONT, stroke: resolve("muted"), ticks: { show: false } };
  const bars = uPlot.paths.bars?.({ size: [0.78, 22], align: 1, radius: 0.15 });
  const options: Options = {
    width: container.clientWidth,
    height: HEIGHT,
    padding: [8, 18, 0, 0],
    legend: { show: false },
    cursor: { points: { show: false }, y: false, drag: { x: false, y: false } },
    scales: {
      x: { time: true, range: () => plot.span },
      y: { range: (_chart, _low, high) => [0, high > 0 ? high * 1.08 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 24,
        splits: (chart) => timeTicks(plot, chart.width),
        values: (_chart, ticks) => ticks.map(plot.formatTick),
      },
      {
        ...axis,
        grid: { stroke: resolve("line"), width: 1 },
        size: AXIS_WIDTH,
        gap: 8,
        space: 40,
        values: (_chart, ticks) => ticks.map((tick) => plot.formatValue(tick)),
      },
    ],
    series: [
      {},
      ...[...series].reverse().map(({ name, colour }) => ({
        label: name,
        fill: resolve(colour),
        stroke: resolve(colour),
        width: plot.kind === "bars" ? 0 : 1,
        points: { show: false },
        ...(plot.kind === "bars" && bars !== undefined ? { paths: bars } : {}),
      })),
    ],
    hooks: {
      setCursor: [
        ({ cursor: { idx, left = 0 } }) => onHover(idx == null || left < 0 ? undefined : { index: idx, left }),
      ],
    },
  };
  return new uPlot(options, data, container);
}

/** Round times within the span, as close as their labels fit. */
function timeTicks({ span: [from, to], ticks: { every, offset } }: PlotOptions, width: number): number[] {
  const most = Math.max(2, Math.floor(width / TICK_WIDTH));
  const factor = [1, 2, 3, 6, 12, 24, 48, 96].find((times) => (to - from) / (every * times) <= most) ?? 192;
  const step = every * factor;
  const first = Math.ceil((from + offset) / step) * step - offset;
  // Without the end of the span, whose label would cross the edge.
  return Array.from({ length: Math.ceil((to - first) / step) }, (_, index) => first + index * step);
}
