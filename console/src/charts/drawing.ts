import uPlot, { type AlignedData, type Options } from "uplot";
import type { Series } from "./stack.ts";

const HEIGHT = 216;
/** How wide the axis beside is, in pixels. */
export const AXIS = 52;
const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

export type Looks = {
  kind: "bars" | "area";
  /** A moment (Unix seconds) as the axis below has it. */
  time: (seconds: number) => string;
  /** A count as the axis beside has it. */
  count: (count: number) => string;
  /** From and to, Unix seconds: the whole span, whether anything was counted in it or not. */
  span: [number, number];
  /** The least distance of two marks on the time axis, and the seconds by which marks lie off whole ones of UTC. */
  marks: { every: number; offset: number };
};

/** Draws into `place`, as wide as that is. `onPoint` hears which moment is pointed at, and where that is. */
export function draw(
  place: HTMLElement,
  data: AlignedData,
  series: Series[],
  looks: Looks,
  onPoint: (at: number | undefined, left: number) => void,
): uPlot {
  const colour = (name: string) => {
    const probe = place.appendChild(document.createElement("span"));
    probe.style.color = `var(--${name})`;
    const resolved = getComputedStyle(probe).color;
    probe.remove();
    return resolved;
  };
  const axis = { font: FONT, stroke: colour("muted"), ticks: { show: false } };
  const bars = uPlot.paths.bars?.({ size: [0.78, 22], align: 1, radius: 0.15 });
  const options: Options = {
    width: place.clientWidth,
    height: HEIGHT,
    padding: [8, 18, 0, 0],
    legend: { show: false },
    cursor: { points: { show: false }, y: false, drag: { x: false, y: false } },
    scales: {
      x: { time: true, range: () => looks.span },
      y: { range: (_chart, _low, high) => [0, high > 0 ? high * 1.08 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 24,
        splits: (chart) => marksWithin(looks, chart.width),
        values: (_chart, marks) => marks.map(looks.time),
      },
      {
        ...axis,
        grid: { stroke: colour("line"), width: 1 },
        size: AXIS,
        gap: 8,
        space: 40,
        values: (_chart, marks) => marks.map((mark) => looks.count(mark)),
      },
    ],
    series: [
      {},
      ...[...series].reverse().map((one) => ({
        label: one.name,
        fill: colour(one.colour),
        stroke: colour(one.colour),
        width: looks.kind === "bars" ? 0 : 1,
        points: { show: false },
        ...(looks.kind === "bars" && bars !== undefined ? { paths: bars } : {}),
      })),
    ],
    hooks: {
      setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined, cursor.left ?? 0)],
    },
  };
  return new uPlot(options, data, place);
}

/** Round moments within the span, no closer than their words have room. */
function marksWithin({ span: [from, to], marks: { every, offset } }: Looks, width: number): number[] {
  const room = Math.max(2, Math.floor(width / 84));
  const wide = [1, 2, 3, 6, 12, 24].find((times) => (to - from) / (every * times) <= room) ?? 48;
  const step = every * wide;
  const first = Math.ceil((from + offset) / step) * step - offset;
  // The end itself is left out: its words would reach over the edge.
  return Array.from({ length: Math.ceil((to - first) / step) }, (_, at) => first + at * step);
}
