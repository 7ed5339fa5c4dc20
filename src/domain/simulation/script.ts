import { invalid, type Schedule } from "./schedule.ts";
import { readSimulation, simulationText } from "./simulation.ts";

/** What an operator has a key's requests answered with, for clients whose requests cannot be changed. */
export type SimulationScript = {
  /** A value of the header Petstore-Simulate in its normal form. */
  answer: string;
  schedule: Schedule;
  /** Unix milliseconds. */
  startedAt: number;
  /** How many requests it has counted. */
  requests: number;
};

/** Returns the normal form of an answer. @throws validation_failed unless it is a value of Petstore-Simulate */
export function answerOf(text: string): string {
  const simulation = readSimulation(text);
  if ("problem" in simulation) throw invalid("answer", simulation.problem);
  return simulationText(simulation);
}
