/** The time now, in Unix milliseconds. Every rule that depends on time is given one, so that tests set it. */
export type Clock = () => number;
