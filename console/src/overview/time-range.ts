/** The time ranges of the overview: the last two minutes, hour, day and month. */
export const timeRanges = [
  ["live", "Live"],
  ["hour", "Hour"],
  ["day", "Day"],
  ["month", "30 days"],
] as const;

export type TimeRange = (typeof timeRanges)[number][0];
