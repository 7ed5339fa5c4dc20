import type { ChildProcess } from "node:child_process";

/** How often a worker is asked for a sign of life, in ms, and how many times in a row it may leave that without one. */
const INTERVAL = 1_000;
const MAX_UNANSWERED = 10;

/** After how many seconds without an answer a worker hangs. */
export const MAX_SILENCE = (INTERVAL * MAX_UNANSWERED) / 1_000;

/** The messages of the parent, and of a worker. */
const QUESTION = "are you there?";
const ANSWER = "here";

/**
 * Calls `onHang`, once, when a worker that listens has not answered for MAX_SILENCE. The time is counted in ticks of this
 * process's own timer, each of which begins after the last one: a time in which this process was stopped too, or the machine
 * slept, counts as one tick.
 */
export function watch(worker: ChildProcess, onHang: () => void): void {
  let unanswered = 0;
  let timer: NodeJS.Timeout;
  const tick = () => {
    if (unanswered === MAX_UNANSWERED) return onHang();
    unanswered += 1;
    // Sending fails when the worker has ended and its "exit" event is still to come.
    if (worker.connected) worker.send(QUESTION, () => {});
    timer = setTimeout(tick, INTERVAL);
  };
  worker.on("message", () => {
    unanswered = 0;
  });
  worker.once("exit", () => clearTimeout(timer));
  tick();
}

/** Answers the parent's questions, from the event loop: a worker that answers accepts connections too. */
export function answerQuestions(): void {
  process.on("message", (message: unknown) => {
    if (message === QUESTION && process.connected) process.send?.(ANSWER);
  });
}
