import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { states } from "../support/markdown.ts";
import { Workplace } from "./petstore.ts";

const STAGING = { env: { PETSTORE_DEPLOYMENT: "staging" } };
const ANSWER = ["--answer", "rate_limit_exceeded"];

describe("petstore keys simulate", () => {
  const petstore = new Workplace();
  let id = "";
  const run = (...args: string[]) => petstore.run(["keys", ...args], STAGING);
  beforeAll(async () => {
    const created = await run("create", "--create", "--name", "My app", "--plan", "free", "--json");
    ({ id } = created.json);
  });
  afterAll(() => petstore.remove());

  test("sets a simulation, which show and list show, and ends it", async () => {
    states(
      "docs/data.md",
      "`keys simulate key_… --answer rate_limit_exceeded --next 3`, or `--every 10`, or `--percent 5 --seed 7`; `--end` ends it.",
    );
    states("docs/commands.md", "Manages API keys; on staging, simulates answers to their requests.");
    states("docs/data.md", "`--end` ends it.", "`keys list --rehearsing` lists the keys that have a simulation.");
    states("docs/rehearsal.md", "`--end` ends the simulation.");
    expect(await run("simulate", id, ...ANSWER, "--next", "3")).toMatchObject({
      code: 0,
      stdout: `Key ${id}, "My app", gets rate_limit_exceeded for the next 3 requests.\n`,
    });
    expect((await run("show", id)).stdout).toMatch(
      /^simulation +rate_limit_exceeded for the next 3 requests, 0 requests since \d{4}-/m,
    );
    expect((await run("list", "--rehearsing")).stdout).toMatch(
      new RegExp(`${id} +My app +free +active, rehearsing +never`),
    );
    for (const [words, schedule] of [
      [["--every", "10"], "1 in 10 requests"],
      [["--percent", "5"], "5 % of requests (seed 0)"],
      [["--percent", "5", "--seed", "7"], "5 % of requests (seed 7)"],
    ] as const)
      expect((await run("simulate", id, ...ANSWER, ...words)).stdout).toBe(
        `Key ${id}, "My app", gets rate_limit_exceeded for ${schedule}.\n`,
      );
    expect(await run("simulate", id, "--end")).toMatchObject({
      code: 0,
      stdout: `Requests of key ${id}, "My app", are answered as they are.\n`,
    });
    expect((await run("list", "--rehearsing")).stdout).toBe("No key matches.\n");
    expect((await run("show", id)).stdout).not.toContain("simulation");
  });

  test("prints the key as JSON, with the answer in its normal form", async () => {
    const args = ["--answer", "lost-answer,delay=5", "--percent", "5", "--seed", "7", "--json"];
    const { simulation } = (await run("simulate", id, ...args)).json;
    expect(simulation).toMatchObject({ answer: "delay=5, lost-answer", percent: 5, seed: 7, requests: 0 });
    expect(simulation).not.toContainAnyKeys(["next", "every"]);
    expect((await run("list", "--rehearsing", "--json")).json).toMatchObject([{ id, simulation }]);
  });

  test.each([
    [[], "--answer <simulation> or --end is required"],
    [ANSWER, "one of --next, --every and --percent is required"],
    [["--answer", "teapot", "--next", "3"], "must be an error code, delay=<ms>, disconnect, lost-answer or now=<time>"],
    [[...ANSWER, "--next", "0"], "It must be an integer from 1 to 1000000."],
    [[...ANSWER, "--next", "1", "--every", "2"], "cannot be used with option '--next <number>'"],
    [[...ANSWER, "--every", "1", "--percent", "2"], "cannot be used with option '--every <number>'"],
    [[...ANSWER, "--next", "1", "--seed", "2"], "--seed is for --percent only"],
    [["--end", "--next", "1"], "cannot be used with option '--next <number>'"],
  ])("refuses %j", async (args, problem) => {
    const { code, stderr } = await run("simulate", id, ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(problem);
  });

  test("names the address of staging beside a new secret", async () => {
    const env = { ...STAGING.env, PETSTORE_STAGING_BASE_URL: "https://staging.shop.test/v1" };
    for (const words of [
      ["create", "--name", "Another", "--plan", "free"],
      ["rotate", id],
    ]) {
      const { stdout } = await petstore.run(["keys", ...words], { env });
      expect(stdout).toMatch(/Bearer pets_stag_\w+" https:\/\/staging\.shop\.test\/v1\/pets\n/);
    }
  });

  test("refuses a key of production", async () => {
    const production = new Workplace();
    const created = await production.json("keys", "create", "--create", "--name", "My app", "--plan", "free");
    const { code, stderr } = await production.run(["keys", "simulate", created.id, ...ANSWER, "--next", "1"]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "petstore: This is production. Only staging simulates answers: set it for a key of staging.\n",
    });
    production.remove();
  });
});
