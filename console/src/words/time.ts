const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/** A moment in the reader's own zone and form. */
export const dayAndTime = (moment: Date): string => dateAndTime.format(moment);
export const day = (moment: Date): string => date.format(moment);

/** A moment as machines and colleagues elsewhere know it. */
export const inUtc = (moment: Date): string => `${moment.toISOString().slice(0, 19).replace("T", " ")} UTC`;

/** How long ago that was, or how soon it will be, in the largest unit that fits. `now` is Unix milliseconds. */
export function ago(moment: Date, now: number): string {
  const gone = now - moment.getTime();
  if (Math.abs(gone) < 5_000) return "just now";
  return gone > 0 ? `${inUnits(gone)} ago` : `in ${inUnits(-gone)}`;
}

/** A length of time, given in milliseconds, in its largest unit. */
export function inUnits(length: number): string {
  if (length < MINUTE) return `${Math.max(1, Math.round(length / 1000))} s`;
  if (length < HOUR) return `${Math.round(length / MINUTE)} min`;
  if (length < 2 * DAY) return `${Math.round(length / HOUR)} h`;
  return `${Math.round(length / DAY).toLocaleString("en")} days`;
}

/** A length of time, given in seconds, in its two largest units. */
export function howLong(seconds: number): string {
  const units: [number, string][] = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3_600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [Math.floor(seconds) % 60, "s"],
  ];
  const first = units.findIndex(([count]) => count > 0);
  if (first === -1) return "0 s";
  const said = units.slice(first, first + 2).filter(([count]) => count > 0);
  return said.map(([count, unit]) => `${count} ${unit}`).join(" ");
}
