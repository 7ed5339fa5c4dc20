import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { escaped } from "../guide/contents.ts";
import type { HttpResponse, RequestContext } from "../request.ts";
import { CompressedBodies, sendCompressed } from "../responses.ts";
import { documentRoute, mediaTypeOf, policyWith, probeRoutes, redirect, type SiteRoute, siteOf } from "../site.ts";
import { consoleFiles } from "../site-files.ts";
import type { AdministrationServices } from "./operations/operation.ts";
import { authenticate } from "./sign-in.ts";

const PATH = "/console";
const PAGE = "index.html";

/** The console sends requests only to its own listener. */
const POLICY = policyWith({ "img-src": "'self' data:", "connect-src": "'self'", "font-src": "'self'" });

/** The build puts a hash of the content into these names, so a file with such a name never changes. */
const HASHED = /^assets\//;
const FOREVER = "public, max-age=31536000, immutable";

const NOT_BUILT = "The console is not built. In a checkout, `npm run build:console` builds it.\n";

/**
 * What the page names before anyone has signed in: the deployment, how an operator creates another, if a command can, and whether
 * there is an OpenID provider.
 */
type Named = Pick<AdministrationServices, "deployment" | "operatorCommand" | "singleSignOn">;

/** The console of a deployment. `files`: the path of each file on the disk, by its name. No request reaches any other file. */
export function consoleRoutes(files: Record<string, string>, named: Named): SiteRoute[] {
  const bodies = new CompressedBodies();
  const serve = async (context: RequestContext, name: string): Promise<HttpResponse> => {
    const path = Object.hasOwn(files, name) ? files[name] : undefined;
    if (path === undefined)
      return missing(context, Object.keys(files).length === 0 ? NOT_BUILT : "This file does not exist.\n");
    return sendCompressed(
      context,
      await bodies.get(name, () => (name === PAGE ? pageOf(path, named) : readFileSync(path))),
      {
        "Content-Type": mediaTypeOf(name),
        "Cache-Control": HASHED.test(name) ? FOREVER : "no-cache",
        "Content-Security-Policy": POLICY,
        "Referrer-Policy": "no-referrer",
      },
    );
  };

  return [
    { path: PATH, respond: (context) => serve(context, PAGE) },
    {
      path: `${PATH}/*`,
      // A path without an extension is a page of the console: its one HTML file shows them all.
      respond: (context) => {
        const name = context.path.slice(PATH.length + 1);
        return serve(context, extname(name) === "" ? PAGE : name);
      },
    },
  ];
}

/** The HTML file. Staging looks different in it. */
function pageOf(path: string, { deployment, operatorCommand, singleSignOn }: Named): string {
  const command = operatorCommand === undefined ? "" : ` data-operator-command="${escaped(operatorCommand)}"`;
  const provider = singleSignOn === undefined ? "" : " data-single-sign-on";
  const attributes = `data-deployment="${deployment}"${command}${provider}`;
  return readFileSync(path, "utf8").replace("<html ", () => `<html ${attributes} `);
}

function missing({ headers }: RequestContext, message: string): HttpResponse {
  const own = { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" };
  return { status: 404, headers: { ...headers, ...own }, body: message };
}

const MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** `/metrics`, which may require the credentials of an operator. */
function metricsRoute(services: AdministrationServices): SiteRoute {
  return {
    path: "/metrics",
    respond: async (context) => {
      if (services.metricsAccess === "operators") await authenticate(context, services);
      const headers = { ...context.headers, "Content-Type": MEDIA_TYPE, "Cache-Control": "no-store" };
      return { status: 200, headers, body: await services.metrics() };
    },
  };
}

/** What the listener serves outside the administration interface, without credentials: probes, document, console and metrics. */
export function administrationSite(services: AdministrationServices) {
  const document = async () => (await import("./document.ts")).administrationDocument(services.deployment);
  const routes = [
    ...probeRoutes(services.health),
    documentRoute("/admin/openapi.json", document),
    ...consoleRoutes(consoleFiles(), services),
    metricsRoute(services),
    redirect("/", PATH),
  ];
  return siteOf(
    routes,
    "The interface is under /admin/v1, its document at /admin/openapi.json, the console at /console, metrics at /metrics.",
  );
}
