import { readFileSync } from "node:fs";
import type { Deployment } from "../../domain/deployment.ts";
import { PetstoreError } from "../../domain/errors.ts";
import type { Address } from "./guide/contents.ts";
import type { Guide } from "./guide/guide.ts";
import type { HttpResponse, RequestContext } from "./request.ts";
import { CompressedBodies, sendCompressed } from "./responses.ts";
import { documentRoute, mediaTypeOf, policyWith, redirect, type SiteRoute } from "./site.ts";
import { referenceFiles } from "./site-files.ts";

/** The documentation: `/openapi.json`, an interactive reference made from it, and the guide. */
export function documentationRoutes(address: Address): SiteRoute[] {
  const { baseUrls, deployment } = address;
  const document = async () => (await import("./document.ts")).openApiDocument(baseUrls, deployment);
  return [
    redirect("/", "/docs"),
    redirect("/docs/", "/docs"),
    documentRoute("/openapi.json", document, { "Access-Control-Allow-Origin": "*" }),
    ...referenceRoutes(baseUrls),
    ...guideRoutes(address),
  ];
}

/** The page connects only to this service, and to the two deployments when the reader tries a call. */
function referencePolicy(baseUrls: Record<Deployment, string>): string {
  const origins = Object.values(baseUrls).map((url) => new URL(url).origin);
  return policyWith({
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data:",
    "connect-src": `'self' ${origins.join(" ")}`,
  });
}

/** `/docs/reference`: an interactive reference from `/openapi.json`, with its files. */
function referenceRoutes(baseUrls: Record<Deployment, string>): SiteRoute[] {
  const bodies = new CompressedBodies();
  return Object.entries(referenceFiles()).map(([name, path]) => ({
    path: name === "index.html" ? "/docs/reference" : `/docs/reference/${name}`,
    respond: async (context) =>
      sendCompressed(context, await bodies.get(name, () => readFileSync(path)), {
        "Content-Type": mediaTypeOf(name),
        "Content-Security-Policy": referencePolicy(baseUrls),
        "Referrer-Policy": "no-referrer",
        "Cache-Control": REVALIDATED,
      }),
  }));
}

/** A picture contains its styles. It runs no scripts, also when a browser opens it by itself. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** Browsers keep files whose URLs change with their content, and revalidate pages. */
const CACHE_CONTROL = "public, max-age=86400";
const REVALIDATED = "no-cache";

const HINT = "The documentation's contents are at /docs.";

/** `/docs` and the paths below it: the files in docs/ as a site, listed in `/llms.txt`. The first request loads the renderer. */
function guideRoutes(address: Address): SiteRoute[] {
  const bodies = new CompressedBodies();
  let guide: Promise<Guide> | undefined;
  const load = (): Promise<Guide> => {
    guide ??= import("./guide/guide.ts")
      .then(({ Guide }) => new Guide(address))
      .catch((error) => {
        // The next request tries again.
        guide = undefined;
        throw error;
      });
    return guide;
  };
  const respond = async (context: RequestContext) => guidePage(await load(), bodies, context);
  return ["/docs", "/docs/{name}", "/llms.txt"].map((path) => ({ path, respond }));
}

async function guidePage(guide: Guide, bodies: CompressedBodies, context: RequestContext): Promise<HttpResponse> {
  const served = guide.at(context.path);
  if (served === undefined) throw new PetstoreError("not_found", { message: `This path does not exist. ${HINT}` });
  const { type, body, isVersioned } = served;
  return sendCompressed(context, await bodies.get(context.path, () => body), {
    "Content-Type": type,
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": type.startsWith("image/") ? PICTURE_POLICY : policyWith(),
    "Cache-Control": isVersioned ? CACHE_CONTROL : REVALIDATED,
  });
}
