import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Hono } from "hono";
import type { Deployment } from "../../../domain/deployment.ts";
import { toJson } from "../../../domain/json.ts";
import { noRoute } from "../checks.ts";
import { escaped } from "../guide/escaped.ts";
import type { RequestContext } from "../request.ts";
import { CompressedBodies, errorResponse, type Report, sendCompressed } from "../responses.ts";
import { type Health, probeRoutes } from "../site.ts";
import type { Authentication } from "./sign-in.ts";

const PATH = "/console";
const PAGE = "index.html";

/** The console sends requests only to its own listener. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
};

/** The build puts a hash of the content into these names, so a file with such a name never changes. */
const HASHED = /^assets\//;
const FOREVER = "public, max-age=31536000, immutable";

const NOT_BUILT = "The console is not built. In a checkout, `npm run build:console` builds it.\n";

/** What the page names before anyone has signed in: the deployment, and how an operator runs a command of the service. */
type Named = { deployment: Deployment; command: string };

/** The console of a deployment. `files`: the path of each file on the disk, by its name. No request reaches any other file. */
export function consoleRoutes(files: Record<string, string>, named: Named) {
  const bodies = new CompressedBodies();
  const serve = async (context: RequestContext, name: string): Promise<Response> => {
    const path = Object.hasOwn(files, name) ? files[name] : undefined;
    if (path === undefined)
      return missing(context, Object.keys(files).length === 0 ? NOT_BUILT : "This file does not exist.\n");
    return sendCompressed(
      context,
      await bodies.get(name, () => (name === PAGE ? pageOf(path, named) : readFileSync(path))),
      {
        "Content-Type": types[extname(name)] ?? "application/octet-stream",
        "Cache-Control": HASHED.test(name) ? FOREVER : "no-cache",
        "Content-Security-Policy": POLICY,
        "Referrer-Policy": "no-referrer",
      },
    );
  };

  const routes = new Hono<{ Bindings: RequestContext }>();
  // A path without an extension is a page of the console: its one HTML file shows them all.
  routes.get(PATH, ({ env }) => serve(env, PAGE));
  routes.get(`${PATH}/*`, ({ env }) => {
    const name = env.path.slice(PATH.length + 1);
    return serve(env, extname(name) === "" ? PAGE : name);
  });
  return routes;
}

/** The HTML file. Staging looks different in it. */
function pageOf(path: string, { deployment, command }: Named): string {
  const attributes = `data-deployment="${deployment}" data-command="${escaped(command)}"`;
  return readFileSync(path, "utf8").replace("<html ", () => `<html ${attributes} `);
}

function missing({ headers }: RequestContext, message: string): Response {
  const own = { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" };
  return new Response(message, { status: 404, headers: { ...headers, ...own } });
}

/** The output of the console's build. */
const DIRECTORY = fileURLToPath(new URL("../../../../console/dist", import.meta.url));

/**
 * The console's files: the path of each on the disk, by its name, such as `assets/main-4kTn.js`. None before the build.
 * deploy/executable.ts replaces this list.
 */
function consoleFiles(): Record<string, string> {
  if (!existsSync(DIRECTORY)) return {};
  const paths = readdirSync(DIRECTORY, { recursive: true, encoding: "utf8" }).map((name) => join(DIRECTORY, name));
  const files = paths.filter((path) => statSync(path).isFile());
  return Object.fromEntries(files.map((path) => [relative(DIRECTORY, path).replaceAll("\\", "/"), path]));
}

/** `/admin/openapi.json`. */
function documentRoutes(deployment: Deployment) {
  const bodies = new CompressedBodies();
  const made = async () => toJson((await import("./document.ts")).administrationDocument(deployment));
  const document = () => bodies.get("openapi.json", made);
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-cache" };
  const routes = new Hono<{ Bindings: RequestContext }>();
  routes.get("/admin/openapi.json", async ({ env }) => sendCompressed(env, await document(), headers));
  return routes;
}

/** Prometheus's text format. */
const MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** `/metrics`. With `authentication` it requires the credentials of an operator. */
function metricsRoutes(metrics: () => Promise<string>, authentication: Authentication | undefined) {
  const routes = new Hono<{ Bindings: RequestContext }>();
  routes.get("/metrics", async ({ env }) => {
    await authentication?.authenticate(env);
    const headers = { ...env.headers, "Content-Type": MEDIA_TYPE, "Cache-Control": "no-store" };
    return new Response(await metrics(), { headers });
  });
  return routes;
}

type SiteServices = {
  deployment: Deployment;
  command: string;
  health: Health;
  report: Report;
  metrics: () => Promise<string>;
  /** If set, only operators may read metrics. */
  authentication: Authentication | undefined;
};

/** The routes outside the administration interface, without credentials: probes, document, console and metrics. */
export function siteRoutes({ deployment, command, health, report, metrics, authentication }: SiteServices) {
  const site = new Hono<{ Bindings: RequestContext }>();
  site.route("/", probeRoutes(health));
  site.route("/", documentRoutes(deployment));
  site.route("/", consoleRoutes(consoleFiles(), { deployment, command }));
  site.route("/", metricsRoutes(metrics, authentication));
  site.get("/", ({ env }) => new Response(null, { status: 302, headers: { ...env.headers, Location: "/console" } }));

  site.notFound((c) => {
    const hint =
      "The interface is under /admin/v1, its document at /admin/openapi.json, the console at /console, metrics at /metrics.";
    return errorResponse(c.env, noRoute(site, c.env, hint), report);
  });
  site.onError((error, c) => errorResponse(c.env, error, report));
  return site;
}
