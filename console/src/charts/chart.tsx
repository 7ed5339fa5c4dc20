import { useEffect, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { Button } from "../parts/button.tsx";
import { themeChange } from "../theme.ts";
import { CountTable, type Shown } from "./count-table.tsx";
import { draw, type Looks } from "./drawing.ts";
import { type Series, stacked } from "./stack.ts";
import { type Pointed, Tip } from "./tip.tsx";

/** Counts by moment, drawn upon each other; the same as a table for those who would rather read. */
export function Chart({ label, times, series, looks, moment }: Shown) {
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<uPlot | undefined>(undefined);
  const [isTable, setTable] = useState(false);
  const [pointed, setPointed] = useState<Pointed>();
  const [colours, setColours] = useState(0);
  const shape = `${looks.kind} ${looks.marks.every} ${series.map(({ name }) => name).join()} ${colours} ${isTable}`;

  useEffect(() => {
    const change = () => setColours((count) => count + 1);
    themeChange.addEventListener("change", change);
    return () => themeChange.removeEventListener("change", change);
  }, []);

  const newest = useRef(looks);
  newest.current = looks;
  // Drawn anew where the kind, the series or the colours differ; new counts only move what is drawn.
  useEffect(() => {
    const room = place.current;
    if (room === null) return;
    const through: Looks = {
      kind: looks.kind,
      time: (seconds) => newest.current.time(seconds),
      count: (count) => newest.current.count(count),
      get span() {
        return newest.current.span;
      },
      marks: looks.marks,
    };
    const chart = draw(room, stacked(times, series), series, through, (at, left) =>
      setPointed(at === undefined || left < 0 ? undefined : { at, left }),
    );
    drawn.current = chart;
    const resized = new ResizeObserver(() => chart.setSize({ width: room.clientWidth, height: chart.height }));
    resized.observe(room);
    return () => {
      resized.disconnect();
      chart.destroy();
      drawn.current = undefined;
    };
  }, [shape]);
  useEffect(() => drawn.current?.setData(stacked(times, series)), [times, series]);

  const sum = ({ values }: Series) => values.reduce((total, value) => total + value, 0);
  const seen = series.filter((one) => sum(one) > 0);
  return (
    <figure class="chart" aria-label={label}>
      {isTable ? (
        <CountTable label={label} times={times} series={series} looks={looks} moment={moment} />
      ) : (
        <div class="drawing" role="img" aria-label={`${label}. The button below shows it as a table.`}>
          <div ref={place} />
          {pointed !== undefined && times[pointed.at] !== undefined && (
            <Tip pointed={pointed} width={place.current?.clientWidth ?? 0}>
              <strong>{moment(times[pointed.at] ?? 0)}</strong>
              {[...series].reverse().map(({ name, colour, values }) => (
                <span key={name}>
                  <i class={`swatch ${colour}`} />
                  {name} <b>{looks.count(values[pointed.at] ?? 0)}</b>
                </span>
              ))}
            </Tip>
          )}
        </div>
      )}
      <figcaption>
        {(seen.length === 0 ? series.slice(0, 1) : seen).map(({ name, colour }) => (
          <span key={name}>
            <i class={`swatch ${colour}`} />
            {name}
          </span>
        ))}
        <Button onClick={() => setTable(!isTable)}>{isTable ? "As a chart" : "As a table"}</Button>
      </figcaption>
    </figure>
  );
}
