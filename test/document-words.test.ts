/**
 * Each figure that a document writes in words ("twice", "a hundred", "every day") has a source, as those in digits have in
 * document-figures.test.ts: the code, or something that the code does not know.
 */
import { expect, test } from "bun:test";
import { kinds } from "../src/adapters/sql/retention.ts";
import { MAX_CLOCK_DIFFERENCE } from "../src/domain/audit.ts";
import { limitsOf } from "../src/domain/limits/limits.ts";
import { RANKED } from "../src/domain/usage/reading.ts";
import { inOneLine, pages, read, withoutBlocks } from "./support/markdown.ts";

const NAMES: Record<number, string> = {
  0.25: "a quarter",
  1: "one",
  2: "twice",
  3: "Three",
  4: "four",
  100: "hundred",
};
const named = (value: number) => NAMES[value] ?? String(value);

const TIMES: Record<number, string> = { 1000: "second", 60000: "minute", 3600000: "hour", 86400000: "day" };
const timed = (ms: number) => TIMES[ms] ?? `${ms} ms`;

/** What the group of a pattern finds in a file, as a number. */
function found(path: string, pattern: RegExp): number {
  const [, value] = pattern.exec(read(path)) ?? [];
  if (value === undefined) throw new Error(`${path} has nothing like ${pattern}`);
  return Number(value.replaceAll("_", ""));
}
const interval = (name: string, path = "src/wiring/background-tasks.ts") =>
  timed(found(path, new RegExp(`const ${name} = ([\\d_]+);`)));
const DAILY = /PETSTORE_BACKUP_EVERY: (\w+)/.exec(read("deploy/compose.small.yaml"))?.[1] === "1d" ? "day" : "other";
const { perMinute } = limitsOf.free;
/** Parts of sentences with their figure, from the code. */
const facts = [
  `among the ${named(RANKED)} largest counts of an operation by a key in each hour and day`,
  `clocks of nodes may differ by an ${timed(MAX_CLOCK_DIFFERENCE)}`,
  `${named(Object.keys(kinds).length)} settings have it delete what is old`,
  `A backup is made every ${DAILY}, in`,
  `such as ${named(perMinute / 60)} per second on Free`,
  `when it starts and every ${interval("COMPARE_CLOCKS_INTERVAL")}. It warns`,
  `the parent asks each worker every ${interval("INTERVAL", "src/commands/workers.ts")}, and`,
  `every ${interval("CLEAN_UP_INTERVAL")} the service removes a few hundred`,
  `Every ${interval("WRITE_REQUESTS_INTERVAL")} the buffer becomes a batch`,
  `waits for ${named(found("src/adapters/sqlite/group-commit.ts", /GATHERING = ([\d.]+)/))} of the time of a sync`,
  `in-memory limiter writes changed states ${named(1_000 / found("src/wiring/background-tasks.ts", /WRITE_COUNTERS_INTERVAL = (\d+)/))} per second`,
  `when it saves limit states, ${named(1_000 / found("src/wiring/background-tasks.ts", /WRITE_COUNTERS_INTERVAL = (\d+)/))} per second`,
];

/** What the code does not know: numbers of what is listed beside them, measurements, examples, and what is never done twice. */
const OTHERS = [
  // Nothing is done twice, and no two are the same.
  /creat(?:es|ing) (?:nothing|anything) twice|nothing is created twice|(?:counts|answers late and answers|given|assigned) twice|contain(?:s)? a key twice|No two categories|may add it twice|is not sent twice/g,
  /come(?:s)? twice, in a page|change that came in between twice|send an id twice|for a Free key that listed pets twice|creates one pet, and not two/gi,
  // Numbers of what is listed.
  /Two cases cannot be|(?:the|The) two windows(?: of a key)?|one command, and three calls|two safe ways|Two ways are shorter|two deployments, production and staging|two limits, which|in two fixed windows/g,
  /Two files of the service|The three belong together|but for two cases|two backslashes are one|all five, or those|which of the two|one of the two sources|the five gauges above|One or two signatures/gi,
  /two whose databases|a second (?:service|unit|release|version|one|order|key|loss)|A second (?:order|loss|one)|once a second version|the second one is|Two services of one deployment/g,
  /two sites|the two cores|two workers add|as one process, four on|starts four processes|two servers with Patroni|a node with SQLite and two with|and on three with PostgreSQL/g,
  /(?:by|and) nine other callers|two rehearse errors|the keys of three are|about four messages|Clients share the eight/g,
  // Of limits, whose windows are compared elsewhere.
  /(?:Requests|limits?|many requests|requests|rate|L) per (?:second|minute|day)(?: (?:and|or) per day)?|in a minute or a day|in each hour and day|each minute, hour and day/gi,
  /A minute or a day that|A minute or day that|because a minute ends|if a minute ends|stops when its limit per day|as many pets per second|once per second/g,
  // Of one in so many, and of what was measured.
  /one in a hundred|with a million pets|for a million pets|a copy of a million pets|some thousand pets|some hundred syncs later|a few hundred (?:older|rows)|a second (?:of it|late)|takes a second for each call/g,
  /crash may lose a second|half-used|half counted|set by an hour|checks every second whether Redis|deletes once a day, and at its start|Days begin at midnight UTC/g,
  /what five of them do with|in the place of three of them|invalid one or two of them|hour by hour|with six creators|none lost, none twice|with a key of 1,000 per minute/g,
  // Those that document-figures.test.ts compares with more of their sentence.
  /10 times per minute, counted by|ten times per minute; failures|at most two seconds old, or ten while thousands|at most 10 per minute and|60 times per minute|64 MB per second/g,
  /ten times per second: so|every half second, and|adds no pet twice|two seconds, (?:for|or up to) ten (?:while thousands|with many)|or 10 while thousands|written twice per second if|or for an hour in past/g,
  /Up to eight commits|each eight writes|is four numbers of|adds up to ten writes|filled to the half/g,
];

const IN_WORDS =
  /\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|hundreds?|thousands?|a million|half|twice|thrice|midnight|(?:by|per|every|each|once|differ by) (?:an? )?(?:second|minute|hour|day|week|month)|an? (?:third|quarter|hundredth) of|a second (?:of|late|for|service|unit|release|version|one|order|key|loss))\b/gi;
/** Those that document-figures.test.ts compares. */
const COMPARED =
  /\b(?:(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|fifty|sixty|hundred|half an?) (?:milliseconds?|seconds?|minutes?|hours?|days?|weeks?|months?|times|attempts|intervals|nodes|more|requests|bytes|characters|working days|cores)|half a second|(?:within|after|for|than|at most) an? (?:second|minute|hour|day|week)|(?:twice|half) as (?:much|many)|(?:a|the) (?:third|fourth|fifth|sixth|seventh|eighth|ninth|tenth) (?:of|serves|attempt))\b/gi;

const MEASURED = /performance|scaling|generated-clients|retry-libraries/;
const texts = new Map(
  [...pages, "docs/development/stores.md"]
    .filter((page) => !MEASURED.test(page))
    .map((page) => [page, inOneLine(withoutBlocks(read(page)).replace(/^\| Promise \| Pages[\s\S]*/m, ""))]),
);
const parts = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(({ 0: part, index }) => [index, index + part.length] as const);

test("some page has each figure in words that the code has", () => {
  expect(facts.filter((fact) => ![...texts.values()].some((text) => text.includes(fact)))).toEqual([]);
});

test.each([...texts.keys()])("each figure in words of %s has a source", (page) => {
  const text = texts.get(page) ?? "";
  const sources = [...facts.map((fact) => new RegExp(RegExp.escape(fact), "g")), ...OTHERS, COMPARED, /`[^`]*`/g];
  const known = sources.flatMap((source) => parts(text, source));
  const unknown = parts(text, IN_WORDS).filter(([from, to]) => !known.some(([a, b]) => a <= from && to <= b));
  expect(unknown.map(([from, to]) => text.slice(from - 40, to + 40))).toEqual([]);
});
