import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { Hono } from "hono";
import type { RequestContext } from "../request-context.ts";

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

/** The extensions of the compressed copies, the smallest first. */
const encodings = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

const NOT_BUILT = "The console is not built. In a checkout, `npm run build:console` builds it.\n";

/** The console. `files`: the path of each file on the disk, by its name. No request reaches any other file. */
export function consoleRoutes(files: Record<string, string>) {
  const contents = new Map<string, Uint8Array<ArrayBuffer>>();
  const read = (name: string): Uint8Array<ArrayBuffer> | undefined => {
    const path = Object.hasOwn(files, name) ? files[name] : undefined;
    if (path === undefined) return undefined;
    const content = contents.get(name) ?? new Uint8Array(readFileSync(path));
    contents.set(name, content);
    return content;
  };

  const serve = ({ request, headers }: RequestContext, name: string): Response => {
    const accepted = request.headers.get("Accept-Encoding") ?? "";
    const [encoding, ending] = encodings.find(([word, end]) => accepts(accepted, word) && read(name + end)) ?? ["", ""];
    const body = read(name + ending);
    if (body === undefined)
      return text(headers, Object.keys(files).length === 0 ? NOT_BUILT : "This file does not exist.\n");
    return new Response(body, {
      headers: {
        ...headers,
        "Content-Type": types[extname(name)] ?? "application/octet-stream",
        "Cache-Control": HASHED.test(name) ? FOREVER : "no-cache",
        "Content-Security-Policy": POLICY,
        "Referrer-Policy": "no-referrer",
        Vary: "Accept-Encoding",
        ...(encoding !== "" && { "Content-Encoding": encoding }),
      },
    });
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

function accepts(header: string, encoding: string): boolean {
  return header.split(",").some((item) => {
    const [name, weight = ""] = item.split(";");
    return name?.trim().toLowerCase() === encoding && !/^\s*q=0(\.0*)?\s*$/.test(weight);
  });
}

function text(headers: Record<string, string>, body: string): Response {
  return new Response(body, { status: 404, headers: { ...headers, "Content-Type": "text/plain; charset=utf-8" } });
}
