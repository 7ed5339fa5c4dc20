import { type Address, addressed } from "./address.ts";
import type { HrefOf } from "./markdown.ts";

/** A block of code, or a link outside of one. */
const PARTS = /^(?<block>```[\s\S]*?^```)|\[(?<text>[^\]]*)\]\((?<target>[^)\s]+)\)/gm;

/** A page as Markdown, for programs: with links that lead to what is served, and the address of this service. */
export function plainMarkdown(markdown: string, hrefOf: HrefOf, address: Address): string {
  return markdown.replace(PARTS, (part, block: string | undefined, text: string, target: string) => {
    if (block !== undefined) return addressed(block, address);
    const href = hrefOf(target);
    return href === undefined ? text : part.replace(`](${target})`, `](${href})`);
  });
}
