import { rootOf } from "../../domain/deployment.ts";
import { PetstoreError } from "../../domain/errors.ts";
import type { Address } from "./guide/contents.ts";
import type { Guide } from "./guide/guide.ts";
import type { HttpResponse, RequestContext } from "./request.ts";
import { CompressedBodies, sendCompressed } from "./responses.ts";
import { documentRoute, policyWith, redirect, type SiteRoute } from "./site.ts";

/** The documentation: `/openapi.json`, and the guide with the reference that is made from it. */
export function documentationRoutes(address: Address): SiteRoute[] {
  const { baseUrls, deployment } = address;
  const document = async () => (await import("./document.ts")).openApiDocument(baseUrls, deployment);
  return [
    redirect("/", "/docs"),
    redirect("/docs/", "/docs"),
    documentRoute("/openapi.json", document, ANY_ORIGIN),
    catalogueRoute(baseUrls[deployment]),
    ...guideRoutes(address),
  ];
}

const ANY_ORIGIN = { "Access-Control-Allow-Origin": "*" };

/** `/.well-known/api-catalog` (RFC 9727): a link set (RFC 9264) that leads programs from the host to the interface. */
function catalogueRoute(baseUrl: string): SiteRoute {
  const root = rootOf(baseUrl);
  const link = (path: string, type: string) => [{ href: `${root}${path}`, type }];
  const catalogue = {
    linkset: [
      {
        anchor: baseUrl,
        "service-desc": link("/openapi.json", "application/json"),
        "service-doc": [...link("/docs", "text/html"), ...link("/llms.txt", "text/markdown")],
        status: link("/readyz", "application/json"),
      },
    ],
  };
  const path = "/.well-known/api-catalog";
  return documentRoute(path, async () => catalogue, {
    ...ANY_ORIGIN,
    "Content-Type": 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    Link: `<${root}${path}>; rel="api-catalog"`,
  });
}

/** The page of a key. */
const ACCOUNT = "/account";

/** The form of an operation and the page of a key send their requests to this service. */
const FORM_POLICY = policyWith({ "connect-src": "'self'" });
/** A picture contains its styles. It runs no scripts, also when a browser opens it by itself. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** Browsers keep files whose URLs change with their content, and revalidate pages. */
const CACHE_CONTROL = "public, max-age=86400";
const REVALIDATED = "no-cache";

const HINT = "The documentation's contents are at /docs.";

/** `/docs` and the paths below it: the files in docs/ and the reference as a site, listed in `/llms.txt`, and all in `/llms-full.txt`. The first request loads the renderer. */
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
  const account = address.hasAccount ? [ACCOUNT] : [];
  return [...account, "/docs", "/docs/{name}", "/docs/reference/{name}", "/llms.txt", "/llms-full.txt"].map((path) => ({
    path,
    respond,
  }));
}

async function guidePage(guide: Guide, bodies: CompressedBodies, context: RequestContext): Promise<HttpResponse> {
  const served = guide.at(context.path);
  if (served === undefined) throw new PetstoreError("not_found", { message: `This path does not exist. ${HINT}` });
  const { type, body, isVersioned } = served;
  return sendCompressed(context, await bodies.get(context.path, () => body), {
    "Content-Type": type,
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": policyOf(context.path, type),
    "Cache-Control": isVersioned ? CACHE_CONTROL : REVALIDATED,
  });
}

function policyOf(path: string, type: string): string {
  if (type.startsWith("image/")) return PICTURE_POLICY;
  return path.startsWith("/docs/reference/") || path === ACCOUNT ? FORM_POLICY : policyWith();
}
