/** The bars of the chart: the name of a subject in the table of rates, and its name in the chart. */
const BARS: Bar[] = [
  { subject: "nginx, the list as a file", label: "nginx, the response as a file" },
  { subject: "bare Bun.serve, the list and its headers", label: "bare Bun.serve, the same bytes" },
  { subject: "list of 20, filtered, warm", label: "Petstore, page cached", isOwn: true },
  { subject: "Go net/http, the list with key and limits", label: "Go net/http, key and limits, cached" },
  { subject: "list of 20, filtered, warm, on Node", label: "Petstore on Node", isOwn: true },
  { subject: "Elysia and bun:sqlite, the list with key look-up", label: "Elysia, key, SQLite each time" },
  { subject: "list of 20, nothing cached", label: "Petstore, SQLite each time", isOwn: true },
];
const WIDTH = 640;
const TOP = 56;
const PITCH = 40;
/** The longest bar, and where the bars begin, from the left. */
const LONGEST = 270;
const LEFT = 290;

type Bar = { subject: string; label: string; isOwn?: true };

/** Reads the median of each subject, in responses per second, from the tables of docs/performance.md. */
export function ratesIn(page: string): Map<string, number> {
  const rows = page.matchAll(/^\| (\S.*?) +\| +([\d,]+) \|.*%/gm);
  return new Map([...rows].map(([, subject = "", median = ""]) => [subject, Number(median.replaceAll(",", ""))]));
}

/** Draws the rates of the cached list beside those of other servers, as SVG. @throws when a rate is missing */
export function chartOf(rates: ReadonlyMap<string, number>): string {
  const bars = BARS.map((bar) => ({ ...bar, rate: rateOf(bar.subject, rates) }));
  const highest = Math.max(...bars.map(({ rate }) => rate));
  const rows = bars.map(({ label, rate, isOwn }, row) => {
    const y = TOP + row * PITCH;
    const width = Math.max(2, Math.round((rate / highest) * LONGEST));
    const kind = isOwn ? "own" : "other";
    return [
      `<text${isOwn ? ' class="strong"' : ""} x="${LEFT - 14}" y="${y + 18}" text-anchor="end">${label}</text>`,
      `<rect class="${kind}" x="${LEFT}" y="${y}" width="${width}" height="26" rx="3"/>`,
      `<text class="${isOwn ? "strong" : "quiet"}" x="${LEFT + width + 10}" y="${y + 18}">${rate.toLocaleString("en")}</text>`,
    ].join("");
  });
  const height = TOP + bars.length * PITCH + 4;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title">
<title id="title">Responses per second for a list of 20 pets on one core</title>
<style>
  text { font: 15px system-ui, "Segoe UI", Roboto, "Liberation Sans", sans-serif; fill: #1c2427; }
  .quiet { fill: #55636a; }
  .strong { font-weight: 650; }
  .own { fill: #0f6b50; }
  .other { fill: #b9c4c8; }
  @media (prefers-color-scheme: dark) {
    text { fill: #dfe6e4; }
    .quiet { fill: #9fadb1; }
    .own { fill: #6fd3ae; }
    .other { fill: #4a5860; }
  }
</style>
<text class="strong" x="14" y="24">A list of 20 pets: responses per second, one core</text>
${rows.join("\n")}
</svg>
`;
}

function rateOf(subject: string, rates: ReadonlyMap<string, number>): number {
  const rate = rates.get(subject);
  if (rate === undefined) throw new Error(`there is no rate of "${subject}"`);
  return rate;
}
