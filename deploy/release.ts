/** Names what a release lacks, and exits with 1 if there is anything: `bun deploy/release.ts`, before npm publishes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** A host or an owner that the manifests have until somebody publishes. */
const PLACEHOLDER = /\bexample\b/;
/** The fields of a manifest that say where the project is, and who answers for it. */
const FIELDS = ["repository", "homepage", "bugs", "author"];

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** `tag`: the name of the tag that is released, if there is one. */
function lacking(tag: string | undefined): string[] {
  const { version } = JSON.parse(read("package.json"));
  const placeholders = ["package.json", "client/package.json"].flatMap((path) => {
    const manifest = JSON.parse(read(path));
    const unset = FIELDS.filter((name) => PLACEHOLDER.test(JSON.stringify(manifest[name] ?? "example")));
    return [
      ...unset.map((name) => `${path} has a placeholder for ${name}: ${JSON.stringify(manifest[name])}.`),
      ...(manifest.version === version ? [] : [`${path} has version ${manifest.version}, not ${version}.`]),
    ];
  });
  const isDated = new RegExp(`^## \\[${version}\\] - \\d{4}-\\d\\d-\\d\\d$`, "m").test(read("CHANGELOG.md"));
  return [
    ...placeholders,
    ...(isDated ? [] : [`CHANGELOG.md has no section for ${version} with a date.`]),
    ...(tag === undefined || tag === `v${version}` ? [] : [`The tag is ${tag}, not v${version}.`]),
  ];
}

const problems = lacking(process.env.GITHUB_REF_NAME);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
