/** Line drawings on a grid of 20. They say nothing by themselves: words or a label stand beside each. */
const drawings = {
  overview: "M2.5 11h3l2.5-6.5 4 11 2.5-6.5 1 2h2",
  keys: "M8.6 11.4 16.5 3.5M13.5 6.5l2.5 2.5M10 14a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0Z",
  pets: "M10 10.2c2 0 4 2.3 4 4.3 0 1.3-.9 1.9-1.9 1.9-.8 0-1.3-.4-2.1-.4s-1.3.4-2.1.4c-1 0-1.9-.6-1.9-1.9 0-2 2-4.3 4-4.3ZM4.3 8.3a.9 1.3 0 1 0 .01 0ZM15.7 8.3a.9 1.3 0 1 0 .01 0ZM7.9 4a1 1.4 0 1 0 .01 0ZM12.1 4a1 1.4 0 1 0 .01 0Z",
  deprecation: "M5 3h10M5 17h10M6.5 3v2.5L10 10l3.5-4.5V3M6.5 17v-2.5L10 10l3.5 4.5V17",
  audit:
    "M6.5 3.5h7a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2h-7a2 2 0 0 1-2-2v-9a2 2 0 0 1 2-2ZM7.5 7.5h5M7.5 10.5h5M7.5 13.5h2.5",
  operators:
    "M7.5 9.5a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6ZM2.5 16.2c.4-2.6 2.5-4 5-4s4.6 1.4 5 4M13 4.2a2.7 2.7 0 0 1 0 5M14.8 12.5c1.5.6 2.5 1.9 2.7 3.7",
  service:
    "M4.5 3.5h11a1 1 0 0 1 1 1v3.5a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1V4.5a1 1 0 0 1 1-1ZM4.5 11.5h11a1 1 0 0 1 1 1v3a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1v-3a1 1 0 0 1 1-1ZM6.5 6.2h.01M6.5 14h.01",
  sun: "M10 13.2a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4ZM10 2.5v1.6M10 15.9v1.6M2.5 10h1.6M15.9 10h1.6M4.7 4.7l1.1 1.1M14.2 14.2l1.1 1.1M4.7 15.3l1.1-1.1M14.2 5.8l1.1-1.1",
  moon: "M16.5 11.5A6.8 6.8 0 0 1 8.5 3.5a6.8 6.8 0 1 0 8 8Z",
  system: "M3.5 4h13v9h-13ZM7.5 16.5h5M10 13v3.5",
  out: "M8 3.5H5a1.5 1.5 0 0 0-1.5 1.5v10A1.5 1.5 0 0 0 5 16.5h3M13 13.5l3.5-3.5L13 6.5M16.5 10H8",
  copy: "M8 7.5h7.5a1 1 0 0 1 1 1V16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V8.5a1 1 0 0 1 1-1ZM4 12.5a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1h7.5a1 1 0 0 1 1 1",
  done: "M4 10.5l4 4 8-9",
  add: "M10 4v12M4 10h12",
  search: "M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM13 13l3.5 3.5",
  into: "M10 13V3.5M6.5 7 10 3.5 13.5 7M3.5 13v2.5a1 1 0 0 0 1 1h11a1 1 0 0 0 1-1V13",
  outof: "M10 3.5V13M6.5 9.5 10 13l3.5-3.5M3.5 13v2.5a1 1 0 0 0 1 1h11a1 1 0 0 0 1-1V13",
  close: "M5 5l10 10M15 5 5 15",
  menu: "M3 6h14M3 10h14M3 14h14",
  back: "M12 4.5 6.5 10l5.5 5.5",
  forward: "M8 4.5l5.5 5.5L8 15.5",
  warning: "M10 3.5 17.5 16.5h-15ZM10 8.5v3.5M10 14.3h.01",
} as const;

export type IconName = keyof typeof drawings;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={drawings[name]} />
    </svg>
  );
}
