import { describe, expect, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { states } from "../support/markdown.ts";
import { commandFor, MAIN } from "../support/runtime.ts";
import { useKey, useOperator, useService } from "../support/use-service.ts";
import { startPetstore, Workplace } from "./petstore.ts";

const hasTerminal = spawnSync("script", ["--version"]).status === 0;
if (!hasTerminal) console.log("skipped: this machine has no script(1), which gives a program a terminal");

const SAMPLE = fileURLToPath(new URL("../../samples/pets.ndjson", import.meta.url));

const NOT_NDJSON = "not NDJSON, which has one object per line. To convert an array, run: jq -c '.[]' FILE";

const service = useService();
const petstore = new Workplace(service);
const { client } = useKey(service);
const { client: admin } = useOperator(service);

/** What the service has after the pet with this id. */
const since = async (id: number) => (await client.get(`/v1/pets?limit=100&after=${id}`)).text;
const lastId = async () => (await client.post("/v1/pets", { name: "Mark", categoryId: 1 })).body.id as number;

/** Imports this content, and gives the result, the pets that were added and the lines that were not. */
async function importing(name: string, content: string | Uint8Array) {
  const before = await lastId();
  writeFileSync(petstore.path(name), content);
  const result = await petstore.run(["pets", "import", name, "--json"]);
  const rejected = rejectedOf(name);
  expect(result.json).toMatchObject({
    rejected: rejected.length,
    rejectedFile: rejected.length === 0 ? null : `${name}.rejected`,
  });
  return { ...result, json: result.json, added: await since(before), rejected };
}

function rejectedOf(name: string): { line: number; reason: string; text: string }[] {
  const path = petstore.path(`${name}.rejected`);
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("the sample has 200 pets, which a running service lists immediately", async () => {
  states("docs/data.md", "All of this works while the service runs.");
  const before = await lastId();
  const began = performance.now();
  const { seconds, ...summary } = await petstore.json("pets", "import", SAMPLE);
  expect(summary).toMatchObject({ imported: 200, rejected: 0, rejectedFile: null });
  expect(seconds).toBeWithin(0.001, (performance.now() - began) / 1_000);
  const [first] = JSON.parse(await since(before));
  const { name, categoryId, status } = first;
  expect({ name, categoryId, status }).toEqual(JSON.parse(readFileSync(SAMPLE, "utf8").split("\n")[0] ?? ""));
  expect((await client.get(`/v1/pets?after=${before + 200}`)).body).toEqual([]);
});

describe.skipIf(!hasTerminal)("on a terminal, an import shows", () => {
  /** What a command line of a shell, with the program as $PETSTORE, prints to a terminal. */
  const shownBy = async (line: string) => {
    const [program, ...args] = commandFor(MAIN);
    const child = spawn("script", ["--quiet", "--return", "--command", line, "/dev/null"], {
      cwd: petstore.directory,
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: petstore.store.url,
        PETSTORE: [program, ...args].join(" "),
        TERM: "xterm",
      },
    });
    child.stdin.end();
    const [shown] = await Promise.all([text(child.stdout), once(child, "close")]);
    return shown;
  };
  const pets = Array.from({ length: 20 }, (_, i) => JSON.stringify({ name: `Pet ${i}`, categoryId: 1 })).join("\n");

  test("how much of a file is read, and how long the rest takes", async () => {
    writeFileSync(petstore.path("shown.ndjson"), pets);
    const shown = await shownBy("$PETSTORE pets import shown.ndjson");
    expect(shown).toMatch(/█{30} 100% {2}20 pets {2}[\d,]+ per second {2}\S+ left/);
    expect(shown).toContain("Imported 20 pets in ");
  });

  test("of standard input, whose end nobody knows, how many were read, and for how long", async () => {
    writeFileSync(petstore.path("shown.ndjson"), pets);
    const shown = await shownBy("cat shown.ndjson | $PETSTORE pets import - --format ndjson");
    expect(shown).toMatch(/20 pets {2}[\d,]+ per second {2}\d+s/);
    expect(shown).not.toMatch(/\d%| left/);
  });
});

describe("NDJSON", () => {
  test("integers are exact, ids and unknown fields ignored, status is available when left out", async () => {
    const line = '{"id":7,"categoryId":9223372036854775807,"name":"Größe 🐕","colour":{"a":[1]}}\r\n';
    const { code, added } = await importing("exact.ndjson", `\uFEFF${line}\n   \n`);
    expect(code).toBe(0);
    expect(added).toContain('"name":"Größe 🐕","categoryId":9223372036854775807,"status":"available"');
    expect(added).not.toContain('"id":7,');
  });

  test("invalid lines go to the rejected file, each with number and reason, and valid ones are added", async () => {
    states(
      "docs/data.md",
      "`pets import` adds each valid line under a new id. `import` writes the other lines with their number and reason to `pets.csv.rejected`",
    );
    const bad = [
      "{bad",
      '{"name":"a","name":"b","categoryId":1}',
      `{"name":"deep","categoryId":1,"x":${"[".repeat(40)}${"]".repeat(40)}}`,
      '{"name":"Rex"}',
      '{"name":"Rex","categoryId":9223372036854775808}',
      '{"name":"Rex","categoryId":1,"status":"lost"}',
      '{"name":" ","categoryId":"1"}',
      "[]",
    ];
    const good = '{"name":"Good","categoryId":1}';
    const { code, json, added, rejected } = await importing("bad.ndjson", `${good}\n${bad.join("\n")}\n${good}`);
    expect(code).toBe(1);
    expect(json).toMatchObject({ imported: 2, rejected: 8, rejectedFile: "bad.ndjson.rejected" });
    expect(JSON.parse(added)).toHaveLength(2);
    expect(rejected.map(({ text }) => text)).toEqual(bad);
    expect(rejected.map(({ line, reason }) => `${line}: ${reason}`)).toEqual([
      "2: The line is not valid JSON.",
      "3: The line names a key twice in one object.",
      "4: The line is nested deeper than 32 levels.",
      "5: categoryId is required.",
      "6: categoryId must be an integer from -9223372036854775808 to 9223372036854775807.",
      "7: status must be one of available, pending, sold.",
      "8: name must be 1 to 255 characters, not blank, without control characters or lone surrogates. categoryId must be an integer from -9223372036854775808 to 9223372036854775807.",
      "9: The line must be a JSON object with name, categoryId and optionally status.",
    ]);
  });

  test("a line that is not UTF-8 is rejected, in a file that is", async () => {
    const bytes = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff]), Buffer.from('","categoryId":1}\n')]);
    const { json, rejected } = await importing(
      "damaged.ndjson",
      Buffer.concat([bytes, Buffer.from('{"name":"Größe","categoryId":1}\n')]),
    );
    expect(json).toMatchObject({ imported: 1, rejected: 1 });
    expect(rejected).toMatchObject([{ line: 1, reason: "The line is not valid UTF-8." }]);
  });

  test("a line may have at most 64 KiB", async () => {
    const line = (length: number) => `{"name":"Long","categoryId":1,"x":"${"x".repeat(length - 37)}"}`;
    const { json, rejected } = await importing("long.ndjson", `${line(65_536)}\n${line(65_537)}\n${line(5_000_000)}\n`);
    expect(json).toMatchObject({ imported: 1, rejected: 2 });
    expect(rejected.map(({ line, text }) => [line, text.length])).toEqual([
      [2, 65_536],
      [3, 65_536],
    ]);
  });
});

describe("CSV", () => {
  test("columns may have any order, unknown ones are ignored, an empty status is available", async () => {
    const csv = '\uFEFFstatus,colour,categoryId,name,id\r\nsold,red,-1,"Rex, the ""dog""",9\r\n,,100, Bo ,\r\n';
    const { code, added } = await importing("columns.csv", csv);
    expect(code).toBe(0);
    expect(added).toContain(`"name":${JSON.stringify('Rex, the "dog"')},"categoryId":-1,"status":"sold"`);
    expect(added).toContain('"name":" Bo ","categoryId":100,"status":"available"');
  });

  test("an ignored field may span several lines", async () => {
    const { json, added } = await importing("notes.csv", 'name,categoryId,notes\nRex,1,"two\n\nlines"\nBo,2,\n');
    expect(json).toMatchObject({ imported: 2, rejected: 0 });
    expect(JSON.parse(added)).toMatchObject([{ name: "Rex" }, { name: "Bo" }]);
  });

  test("a stray quote rejects only its own line", async () => {
    const csv = 'name,categoryId\n"Open,1\nRex,2\n5" dog,3\nBo,4\n';
    const { json, added, rejected } = await importing("quotes.csv", csv);
    expect(json).toMatchObject({ imported: 2, rejected: 2 });
    expect(JSON.parse(added)).toMatchObject([{ name: "Rex" }, { name: "Bo" }]);
    expect(rejected).toEqual([
      { line: 2, reason: "The line is not valid CSV.", text: '"Open,1' },
      { line: 4, reason: "The line is not valid CSV.", text: '5" dog,3' },
    ]);
  });

  test("fields have the rules of the request body that creates a pet", async () => {
    const csv = "name,categoryId,status\n,1,\nRex,,\nRex,1.5,\nRex,01,\nRex,1,lost\nRex,1\nRex,1,sold,x\n";
    const { rejected } = await importing("rules.csv", csv);
    const integer = "categoryId must be an integer in plain digits, such as 12 or -7.";
    expect(rejected.map(({ line, reason }) => `${line}: ${reason}`)).toEqual([
      "2: name is required.",
      "3: categoryId is required.",
      `4: ${integer}`,
      `5: ${integer}`,
      "6: status must be one of available, pending, sold.",
      "7: The line has 2 fields, the header has 3.",
      "8: The line has 4 fields, the header has 3.",
    ]);
  });

  test.each([
    ["", "The file is empty. Its first line must name the columns"],
    ["Rex,1,sold\n", "it lacks name and categoryId"],
    ["name,name,categoryId\n", "names the column name twice"],
  ])("a file that begins with %j is refused", async (input, reason) => {
    const { code, stderr } = await petstore.run(["pets", "import", "-", "--format", "csv"], { input });
    expect(code).toBe(1);
    expect(stderr).toContain(reason);
  });
});

test.each([
  ["pets.xlsx", zipped("xl/workbook.xml"), "The file is a spreadsheet, save it as CSV."],
  [
    "pets.ods",
    zipped("mimetypeapplication/vnd.oasis.opendocument.spreadsheet"),
    "The file is a spreadsheet, save it as CSV.",
  ],
  ["pets.csv.gz", gzipSync("name,categoryId\nRex,1\n"), "The file is compressed. Decompress it first."],
  ["packed.csv", gzipSync("name,categoryId\nRex,1\n"), "The file is compressed. Decompress it first."],
  ["old.csv", "name,categoryId\rRex,1\r", "The line ends are CR alone. Save the file with line ends of LF or CR LF."],
  [
    "latin1.csv",
    Buffer.from("name,categoryId\nRex,1\nGröße,1\n", "latin1"),
    "The file is not UTF-8 (line 3): it seems to be Latin-1 or Windows-1252. Save it as UTF-8.",
  ],
  [
    "array.ndjson",
    '[\n{"name":"A","categoryId":1},\n{"name":"B","categoryId":1}\n]\n',
    `The file is a JSON document (line 1), ${NOT_NDJSON}`,
  ],
  [
    "list.ndjson",
    '{"name":"A","categoryId":1},\n{"name":"B","categoryId":1}\n',
    `The file is a JSON document (line 1), ${NOT_NDJSON}`,
  ],
  [
    "latin1.ndjson",
    Buffer.from('{"name":"Größe","categoryId":1}\n{"name":"B","categoryId":1}\n', "latin1"),
    "The file is not UTF-8 (line 1): it seems to be Latin-1 or Windows-1252. Save it as UTF-8.",
  ],
])(
  "%s is refused as a whole, with the same words for pets, for categories and over HTTP",
  async (name, content, words) => {
    states(
      "docs/data.md",
      "What cannot be imported as a whole is refused before anything is stored: a spreadsheet, a compressed file, text that is not UTF-8, line ends of CR alone, a JSON document in place of NDJSON.",
    );
    const before = await lastId();
    writeFileSync(petstore.path(name), content);
    for (const noun of ["pets", "categories"]) {
      const { code, stdout, stderr } = await petstore.run([noun, "import", name]);
      expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: `petstore: ${words}\n` });
    }
    const headers = { "Content-Type": name.endsWith("ndjson") ? "application/x-ndjson" : "text/csv" };
    const answer = await admin.request("/admin/v1/pets/import", {
      method: "POST",
      headers,
      body: Buffer.from(content),
    });
    expect(answer).toMatchObject({ status: 400, body: { code: "validation_failed", message: words } });
    expect(await since(before)).toBe("[]");
  },
);

test.each<[string, string | Uint8Array, string]>([
  [
    "late.csv",
    Buffer.from(`name,categoryId\n${"Rex,1\n".repeat(20_000)}Größe,1\n`, "latin1"),
    "The file is not UTF-8 (line 20002): it seems to be Latin-1 or Windows-1252. Save it as UTF-8.",
  ],
  [
    "late.ndjson",
    `${'{"name":"Rex","categoryId":1}\n'.repeat(20_001)}[\n{"name":"A","categoryId":1}\n]\n`,
    `The file is a JSON document (line 20002), ${NOT_NDJSON}`,
  ],
  [
    "returns.csv",
    `name,categoryId\n${"Rex,1\n".repeat(20_000)}Rex,1\rMia,1\r`,
    "The line ends are CR alone (line 20002). Save the file with line ends of LF or CR LF.",
  ],
])(
  "what is wrong late in %s refuses a file whole, and ends what is sent, with the same words",
  async (name, content, words) => {
    states(
      "docs/data.md",
      "A file is read to its end for that, before its first line is imported.",
      "what comes later ends the import there.",
    );
    const before = await lastId();
    const bytes = Buffer.from(content);
    writeFileSync(petstore.path(name), bytes);
    expect(await petstore.run(["pets", "import", name])).toMatchObject({ code: 1, stderr: `petstore: ${words}\n` });
    expect(await since(before)).toBe("[]");
    const headers = { "Content-Type": name.endsWith("ndjson") ? "application/x-ndjson" : "text/csv" };
    const answer = await admin.request("/admin/v1/pets/import", { method: "POST", headers, body: bytes });
    const result = JSON.parse(answer.text.trimEnd().split("\n").at(-1) ?? "");
    expect(result).toMatchObject({ done: false, rejected: 0, error: { code: "validation_failed", message: words } });
    const format = name.endsWith("ndjson") ? "ndjson" : "csv";
    const { code, stderr } = await petstore.run(["pets", "import", "-", "--format", format], { input: content });
    expect([code, stderr]).toEqual([1, expect.stringContaining(`these stay. Reason: ${words}`)]);
  },
);

test("the last line of an empty file is the one before the first", async () => {
  writeFileSync(petstore.path("empty.ndjson"), "");
  expect(await petstore.json("pets", "import", "empty.ndjson")).toMatchObject({ imported: 0, lastLine: 0 });
});

test("an import that would begin behind the end of its file is refused", async () => {
  writeFileSync(petstore.path("short.csv"), "name,categoryId\nRex,1\n");
  const run = (line: string) => petstore.run(["pets", "import", "short.csv", "--from-line", line]);
  expect(await run("3")).toMatchObject({ code: 0 });
  expect(await run("4")).toMatchObject({ code: 1, stderr: "petstore: The file ends with line 2: it has no line 4.\n" });
});

/** The beginning of an archive with this file. */
function zipped(name: string): string {
  return `PK\u0003\u0004\u0014\0\0\0\u0008\0${name}`;
}

test("standard input is read with -, and its rejected lines go to stdin.rejected", async () => {
  states("docs/data.md", "`-` is standard input");
  const before = await lastId();
  const input = "name,categoryId\nRex,1\nBo,x\n";
  const { code, stdout, stderr } = await petstore.run(["pets", "import", "-", "--format", "csv"], { input });
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  expect(stdout).toMatch(
    /^Imported 1 pet in \d+\.\d s .*\nRejected 1 line, listed in stdin\.rejected\. The first, line 3: /,
  );
  expect(JSON.parse(await since(before))).toMatchObject([{ name: "Rex" }]);
  expect(rejectedOf("stdin")).toMatchObject([{ line: 3, text: "Bo,x" }]);
});

test("the summary quotes the first rejected line, however far the last one is", async () => {
  const lines = ["name,categoryId", "Rex,x", ...Array(1_200).fill("Rex,1"), "Mia,y"];
  writeFileSync(petstore.path("far.csv"), lines.join("\n"));
  const { stdout } = await petstore.run(["pets", "import", "far.csv"]);
  expect(stdout).toContain("Rejected 2 lines, listed in far.csv.rejected. The first, line 2: categoryId must be");
  const [, seconds, rate = ""] = /^Imported 1,200 pets in (\d+\.\d) s \(([\d,]+) per second\)\.\n/.exec(stdout) ?? [];
  // Of seconds that are rounded to tenths.
  const least = 1_200 / (Number(seconds) + 0.06);
  expect(Number(rate.replaceAll(",", ""))).toBeWithin(least, 1_200 / Math.max(Number(seconds) - 0.06, 0.001));
});

test.each<[string, string | Uint8Array, string, (text: string) => string]>([
  [
    "odd.csv",
    '\ufeffsep=;\r\nName;Category ID;Notes\r\nRex;1;\r\n"M""ia";x;"a;\r\nb"\r\nBo;1\r\n',
    '\ufeffsep=;\r\nName;Category ID;Notes\r\n"M""ia";x;"a;\r\nb"\r\nBo;1\r\n',
    (text) => text.replace("x;", "7;").replace("Bo;1", "Bo;1;"),
  ],
  [
    "odd.tsv",
    Buffer.from("\ufeffname\tcategoryId\nRex\t1\nGröße\tx", "utf16le"),
    "\ufeffname\tcategoryId\nGröße\tx\n",
    (text) => text.replace("x", "7"),
  ],
  [
    "odd.ndjson",
    '{"name":"Rex","categoryId":1}\nx\r\n{"name":"Mia"}',
    'x\r\n{"name":"Mia"}\n',
    (text) => text.replace("x", "").replace("}", ',"categoryId":7}'),
  ],
])(
  "the rejected lines of %s are a file of its form, which can be corrected and imported",
  async (name, content, expected, correct) => {
    states(
      "docs/data.md",
      "CSV may be as a spreadsheet saves it: with commas, semicolons, tabs",
      "as the header or a first line `sep=;` shows, in UTF-8 or UTF-16. Case, spaces",
      "With `--rejected FILE` the rejected lines also go to a file as they are, below the header: correct and import it.",
    );
    const before = await lastId();
    const path = petstore.path(`to-${name}`);
    writeFileSync(petstore.path(name), content);
    const { stdout } = await petstore.run(["pets", "import", name, "--rejected", path]);
    expect(stdout).toContain(`Correct these lines in ${path}, and import that file.`);
    expect(readFileSync(path, "utf8")).toBe(expected);
    expect((await petstore.run(["pets", "import", name, "--rejected", path])).stderr).toContain(
      `${path} exists already. Choose another file.`,
    );
    for (const wrong of [`${name}.rejected`, `./${name}.rejected`, "missing/lines.csv"]) {
      const { code, stderr } = await petstore.run(["pets", "import", name, "--rejected", wrong]);
      expect([code, stderr]).toEqual([1, expect.stringContaining(wrong)]);
    }
    const headers = { "Content-Type": name.endsWith("ndjson") ? "application/x-ndjson" : "text/csv" };
    const target = "/admin/v1/pets/import?rejectedLines=true";
    const { text } = await admin.request(target, { method: "POST", headers, body: Buffer.from(content) });
    const { rejectedLines, hasAllRejectedLines } = JSON.parse(text);
    expect(Buffer.from(rejectedLines, "base64").toString()).toBe(expected);
    expect(hasAllRejectedLines).toBe(true);
    writeFileSync(path, correct(expected));
    expect(await petstore.json("pets", "import", path)).toMatchObject({ rejected: 0 });
    expect(JSON.parse(await since(before)).at(-1)).toMatchObject(
      name === "odd.csv" ? { name: "Bo" } : { categoryId: 7 },
    );
  },
);

test.each([
  ["pets", "csv", "ndjson", '{"name":"Rex","categoryId":1}\n'],
  ["pets", "ndjson", "csv", "name,categoryId\nRex,1\n"],
  ["categories", "tsv", "ndjson", '{"name":"Dogs"}\n'],
  ["categories", "jsonl", "csv", "name\nCats\n"],
])("--format decides over the extension of a file of %s, .%s", async (noun, extension, format, content) => {
  const file = `other.${extension}`;
  writeFileSync(petstore.path(file), content);
  const summary = await petstore.json(noun, "import", file, "--format", format);
  expect(summary).toMatchObject({ imported: 1, rejected: 0 });
});

test("the file for rejected lines has no extension of another format, and without one the format is named", async () => {
  writeFileSync(petstore.path("bad.csv"), "name,categoryId\nRex,x\n");
  const run = (path: string, ...options: string[]) =>
    petstore.run(["pets", "import", "bad.csv", "--rejected", path, ...options]);
  for (const path of ["bad.ndjson", "bad.jsonl", "-"]) {
    expect(await run(path)).toMatchObject({ code: 1, stderr: expect.stringContaining("The rejected lines ") });
    if (path !== "bad.ndjson") expect(existsSync(petstore.path(path))).toBe(false);
  }
  const { stdout } = await run("lines", "--raw");
  expect(stdout).toContain("Correct these lines in lines, and import that file with --format csv --raw.");
  writeFileSync(petstore.path("bad.jsonl"), '{"name":"Rex"}\n');
  expect((await petstore.run(["pets", "import", "bad.jsonl", "--rejected", "objects"])).stdout).toContain(
    "Correct these lines in objects, and import that file with --format ndjson.\n",
  );
});

test("categories that are rejected go to a file, too, and after an interruption it gets the others", async () => {
  writeFileSync(petstore.path("corrected.csv"), "id,name\nx,Later A\n1000,\ny,Later B\n");
  const options = ["categories", "import", "corrected.csv", "--rejected", "later.csv"];
  await petstore.run(options);
  expect(readFileSync(petstore.path("later.csv"), "utf8")).toBe("id,name\nx,Later A\n1000,\ny,Later B\n");
  writeFileSync(petstore.path("later.csv"), "id,name\nx,Later A\n");
  await petstore.run([...options, "--from-line", "3"]);
  expect(readFileSync(petstore.path("later.csv"), "utf8")).toBe("id,name\nx,Later A\n1000,\ny,Later B\n");
});

test("the rejected file of an earlier import is removed when no line is rejected", async () => {
  expect((await importing("again.csv", "name,categoryId\nRex,x\n")).rejected).toHaveLength(1);
  expect((await importing("again.csv", "name,categoryId\nRex,1\n")).rejected).toEqual([]);
});

test.each([
  ["missing.csv", "there is no such file or directory"],
  ["folder.csv", "it is a directory"],
])("importing %s fails with an explanation", async (file, reason) => {
  mkdirSync(petstore.path("folder.csv"), { recursive: true });
  const { code, stderr } = await petstore.run(["pets", "import", file]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: `petstore: ${file} cannot be read: ${reason}.\n` });
});

test.each([["SIGINT"], ["SIGTERM"], ["SIGHUP"]] as const)(
  "after %s the audit log has where the import ended, and the printed command imports the rest, each pet once",
  async (signal) => {
    states(
      "docs/data.md",
      "An import that is interrupted, by Ctrl-C",
      "prints the command that imports the other lines, with `--from-line`. The audit log has the last line, too",
    );
    const before = await lastId();
    const name = `it's ${signal}.csv`;
    const rows = Array.from({ length: 20_000 }, (_, i) => `${i % 7_000 === 50 ? "x" : i};Rex;"a\n""b"""`);
    writeFileSync(petstore.path(name), `sep=;\nCategory ID;Name;Notes\n${rows.join("\n")}\n`);
    const child = startPetstore(service.store, ["pets", "import", name, "--raw"]);
    while ((await since(before)) === "[]") await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill(signal);
    const output = text(child.stdout);
    await once(child, "close");
    expect(child.exitCode).toBe({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal]);
    const [, last, command] =
      /Interrupted after line (\d+)\.[\s\S]*\n {2}(.* pets import .*)$/.exec((await output).trim()) ?? [];
    const [entry] = await petstore.json("audit", "--limit", "1");
    expect(entry).toMatchObject({ action: "pets.import", after: { file: name, line: Number(last), isWhole: false } });
    const path = petstore.path(name).replace("'", "'\\''");
    expect(command).toEndWith(` pets import '${path}' --raw --from-line ${Number(last) + 1}`);
    const [, ...words] = /petstore(?:\.js)? (pets .*)/.exec(command ?? "") ?? [];
    const args = Bun.spawnSync(["sh", "-c", `printf '%s\\n' ${words.join(" ")}`])
      .stdout.toString()
      .trim()
      .split("\n");
    const { stdout } = await petstore.run(args);
    expect(stdout).toStartWith("Imported ");
    const { stdout: exported } = await petstore.run(["pets", "export"]);
    const numbers = exported
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ id }) => id > before);
    expect(numbers.map(({ categoryId }) => categoryId)).toEqual(rows.map((_, i) => i).filter((i) => i % 7_000 !== 50));
    expect(rejectedOf(name).map(({ line }) => line)).toEqual([103, 14_103, 28_103]);
  },
);

test("an import that the database ends says how to go on, for pets, changes and categories, and nothing comes twice", async () => {
  states("docs/data.md", "or because the database fails, prints the command");
  const before = await lastId();
  await using store = await service.store.connect();
  const lines = Array.from({ length: 1_800 }, (_, i) => `{"name":"Ended ${i}","categoryId":1}`);
  writeFileSync(petstore.path("ended.ndjson"), `\n${lines.join("\n")}\n`);
  for (const [noun, ...options] of [
    ["pets"],
    ["pets", "--replace", "--rejected", "later.ndjson"],
    ["categories"],
  ] as const) {
    await store.run(
      `CREATE TRIGGER ended BEFORE INSERT ON ${noun} WHEN NEW.name = 'Ended 1300' BEGIN SELECT RAISE(ABORT, 'full'); END`,
    );
    const { code, stderr } = await petstore.run([noun, "import", "ended.ndjson", ...options]);
    await store.run("DROP TRIGGER ended");
    expect(code).toBe(1);
    const [, command = "", next = ""] = /\n {2}.*petstore(?:\.js)? (.* --from-line (\d+))\n$/.exec(stderr) ?? [];
    const added = `${(Number(next) - 2).toLocaleString("en")} ${noun}`;
    expect(stderr).toStartWith(
      `petstore: the import failed after line ${Number(next) - 1}. It added ${added}: these stay. Reason: `,
    );
    const [entry] = await petstore.json("audit", "--limit", "1");
    expect(entry).toMatchObject({ action: `${noun}.import`, after: { line: Number(next) - 1, isWhole: false } });
    // It may be typed in any directory.
    const paths = [command.split(" ")[2], ...(/(?<=--rejected )\S+/.exec(command) ?? [])];
    expect(paths).toEqual(["ended.ndjson", ...options.slice(2)].map((name) => petstore.path(name)));
    expect(await petstore.json(...command.split(" "))).toMatchObject({ imported: 1_802 - Number(next), rejected: 0 });
    expect(await petstore.json("audit", "--limit", "1")).toMatchObject([{ after: { line: 1_801, isWhole: true } }]);
  }
  const { stdout } = await petstore.run(["pets", "export"]);
  const names = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ id }) => id > before)
    .map(({ name }) => name);
  expect(names).toEqual([0, 1].flatMap(() => lines.map((_, i) => `Ended ${i}`)));
});

test("an interrupted import reports its last line, and the catalogue has exactly the pets up to it", async () => {
  const before = await lastId();
  const child = startPetstore(service.store, ["pets", "import", "-", "--format", "ndjson", "--json"]);
  const line = (i: number) => `{"name":"Numbered","categoryId":${i}}\n`;
  child.stdin.write(Array.from({ length: 3_000 }, (_, i) => line(i)).join(""));
  child.stdin.write('{"name":"Half a li');
  while ((await since(before)) === "[]") await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill("SIGINT");
  const output = text(child.stdout);
  await once(child, "close");
  expect(child.exitCode).toBe(130);
  expect(JSON.parse(await output)).toMatchObject({
    imported: 3_000,
    rejected: 0,
    lastLine: 3_000,
    isInterrupted: true,
    continueWith: expect.stringMatching(/ pets import - --format ndjson --json --from-line 3001$/),
  });
  expect(JSON.parse(await since(before + 2_999))).toMatchObject([{ categoryId: 2_999 }]);
});
