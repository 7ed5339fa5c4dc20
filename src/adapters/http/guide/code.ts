import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import go from "highlight.js/lib/languages/go";
import http from "highlight.js/lib/languages/http";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import typescript from "highlight.js/lib/languages/typescript";
import { escaped } from "./escaped.ts";
import { LANGUAGES, type Variant, variantsOf } from "./examples/languages.ts";

for (const [name, language] of Object.entries({ bash, go, http, ini, java, json, python, typescript })) {
  hljs.registerLanguage(name, language);
}

/** A block of code in Markdown: its language, and its text. */
export type Block = { language: string; text: string };

/** A block of code with syntax highlighting. An example that is a single request has programs in other languages. */
export function codeBlock({ language, text }: Block): string {
  if (language === "console") return session(text);
  const variants = language === "sh" ? variantsOf(text, "") : undefined;
  return variants === undefined ? `${figure(text, language)}\n` : tabs(variants);
}

/** Blocks with the same program in several languages: the script of the page makes tabs of them. */
export function programs(blocks: Block[]): string {
  return tabs(blocks.map(({ language, text }) => ({ name: LANGUAGES[language] ?? language, language, text })));
}

function tabs(variants: Variant[]): string {
  const [first, ...others] = variants.map(({ name, language, text }) => figure(text, language, name));
  return `<div class="example">\n${first}\n${others.join("\n").replaceAll("<div", "<div hidden")}\n</div>\n`;
}

function figure(text: string, language: string, name = ""): string {
  const kind = language === "text" ? " output" : "";
  const tab = name === "" ? "" : ` data-language="${name}"`;
  return `<div class="code${kind}"${tab}><pre tabindex="0"><code>${highlighted(text, language)}</code></pre></div>`;
}

function highlighted(text: string, language: string): string {
  return hljs.getLanguage(language) === undefined ? escaped(text) : hljs.highlight(text, { language }).value;
}

/** The commands of a console session: what follows `$ `, continued after `\`. */
const COMMAND = /^\$ ((?:[^\\\n]|\\[\s\S])*)\n?/gm;

/** A console session: each command, and what it prints. */
function session(text: string): string {
  const commands = [...text.matchAll(COMMAND)];
  return commands
    .map(({ 0: { length }, 1: command = "", index }, at) => {
      const output = text.slice(index + length, commands[at + 1]?.index).trimEnd();
      const variants = variantsOf(command, output);
      const shown = variants === undefined ? `${figure(command, "bash")}\n` : tabs(variants);
      return output === "" ? shown : `${shown}${outputOf(output)}`;
    })
    .join("");
}

function outputOf(text: string): string {
  const language = text.startsWith("HTTP/") ? "http" : /^[[{]/.test(text) ? "json" : "text";
  return `<div class="code output"><pre tabindex="0"><code>${highlighted(text, language)}</code></pre></div>\n`;
}
