/** Returns the current time in Unix milliseconds. Rules take it as an argument, so that tests can set it. */
export type Clock = () => number;
