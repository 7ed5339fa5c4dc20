const WIDTH = 640;
const TOP = 56;
const PITCH = 40;
/** The longest bar, and where the bars begin, from the left. */
const LONGEST = 270;
const LEFT = 290;

/** Reads the rates of the table of docs/performance.md, in responses per second. */
export function ratesIn(page: string): [name: string, rate: number][] {
  const rows = page.matchAll(/^\| (\S.*?) +\| +([\d,]+)\/s \|/gm);
  return [...rows].map(([, name = "", rate = ""]) => [name, Number(rate.replaceAll(",", ""))]);
}

/** Draws the rates as SVG. */
export function chartOf(bars: [name: string, rate: number][]): string {
  const highest = Math.max(...bars.map(([, rate]) => rate));
  const rows = bars.map(([name, rate], row) => {
    const y = TOP + row * PITCH;
    const width = Math.max(2, Math.round((rate / highest) * LONGEST));
    return [
      `<text x="${LEFT - 14}" y="${y + 18}" text-anchor="end">${name}</text>`,
      `<rect class="own" x="${LEFT}" y="${y}" width="${width}" height="26" rx="3"/>`,
      `<text class="quiet" x="${LEFT + width + 10}" y="${y + 18}">${rate.toLocaleString("en")}</text>`,
    ].join("");
  });
  const height = TOP + bars.length * PITCH + 4;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title">
<title id="title">Responses per second on one core</title>
<style>
  text { font: 15px system-ui, "Segoe UI", Roboto, "Liberation Sans", sans-serif; fill: #1c2427; }
  .quiet { fill: #55636a; }
  .strong { font-weight: 650; }
  .own { fill: #0f766e; }
  @media (prefers-color-scheme: dark) {
    text { fill: #dfe6e4; }
    .quiet { fill: #9fadb1; }
    .own { fill: #3cc4b0; }
  }
</style>
<text class="strong" x="14" y="24">Responses per second, one core</text>
${rows.join("\n")}
</svg>
`;
}

/** A table of docs/scaling.md: its sizes, and a value of each figure at each size. */
type GrowthTable = { title: string; sizes: string[]; rows: { name: string; cells: string[] }[] };

const TITLES = ["Pets", "Keys", "Orders"];
const COLUMNS = 3;
const GROWTH_WIDTH = 640;
const MARGIN = 14;
const GAP = 26;
const PANEL = { width: (GROWTH_WIDTH - 2 * MARGIN - (COLUMNS - 1) * GAP) / COLUMNS, height: 116, plot: 56, top: 24 };
const HEADING = 46;

/** Reads the tables of growth from docs/scaling.md. */
export function tablesIn(page: string): GrowthTable[] {
  return TITLES.map((title) => {
    const [header = "", , ...rows] =
      new RegExp(`^\\| ${title} .*\\n(?:\\|.*\\n)+`, "m").exec(page)?.[0].trimEnd().split("\n") ?? [];
    return {
      title,
      sizes: cellsOf(header).slice(1),
      rows: rows.map(cellsOf).map(([name = "", ...cells]) => ({ name, cells })),
    };
  });
}

/** Draws each figure as a line over the size of the store, from zero, in a panel of its own. The sizes are logarithmic. */
export function growthChartOf(tables: GrowthTable[]): string {
  const parts: string[] = [];
  let y = 0;
  for (const { title, sizes, rows } of tables) {
    y += HEADING;
    const [first = "", last = ""] = [sizes[0], sizes.at(-1)];
    parts.push(`<text class="strong" x="${MARGIN}" y="${y - 20}">${title}: ${first} to ${last}</text>`);
    rows.forEach(({ name, cells }, i) => {
      const x = MARGIN + (i % COLUMNS) * (PANEL.width + GAP);
      parts.push(panel(name, sizes.map(numberOf), cells, x, y + Math.floor(i / COLUMNS) * PANEL.height));
    });
    y += Math.ceil(rows.length / COLUMNS) * PANEL.height;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${GROWTH_WIDTH} ${y}" role="img" aria-labelledby="title">
<title id="title">Each figure of the tables as a line from the smallest to the largest store</title>
<style>
  text { font: 14px system-ui, "Segoe UI", Roboto, "Liberation Sans", sans-serif; fill: #1c2427; }
  .strong { font-weight: 650; font-size: 16px; }
  .quiet { fill: #55636a; font-size: 13px; }
  .axis { stroke: #b9c4c8; }
  .line { fill: none; stroke: #0f766e; stroke-width: 2; }
  .dot { fill: #0f766e; }
  @media (prefers-color-scheme: dark) {
    text { fill: #dfe6e4; }
    .quiet { fill: #9fadb1; }
    .axis { stroke: #4a5860; }
    .line { stroke: #3cc4b0; }
    .dot { fill: #3cc4b0; }
  }
</style>
${parts.join("\n")}
</svg>
`;
}

function panel(name: string, sizes: number[], cells: string[], left: number, top: number): string {
  const values = cells.map(numberOf);
  const [smallest, largest, highest] = [Math.min(...sizes), Math.max(...sizes), Math.max(...values)];
  const floor = top + PANEL.top + PANEL.plot;
  const points = values.map((value, i) => {
    const along = Math.log((sizes[i] ?? smallest) / smallest) / Math.log(largest / smallest);
    return { x: round(left + along * PANEL.width), y: round(floor - (value / highest) * (PANEL.plot - 6)) };
  });
  const right = round(left + PANEL.width);
  return [
    `<text x="${round(left)}" y="${top + 8}">${name}</text>`,
    `<path class="axis" d="M${round(left)} ${floor}H${right}"/>`,
    `<polyline class="line" points="${points.map(({ x, y }) => `${x},${y}`).join(" ")}"/>`,
    ...points.map(({ x, y }) => `<circle class="dot" cx="${x}" cy="${y}" r="2.5"/>`),
    `<text class="quiet" x="${round(left)}" y="${floor + 16}">${cells[0]}</text>`,
    `<text class="quiet" x="${right}" y="${floor + 16}" text-anchor="end">${cells.at(-1)}</text>`,
  ].join("");
}

function cellsOf(line: string): string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function numberOf(cell: string): number {
  return Number(cell.replaceAll(",", ""));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
