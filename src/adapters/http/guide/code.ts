import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import http from "highlight.js/lib/languages/http";
import ini from "highlight.js/lib/languages/ini";
import json from "highlight.js/lib/languages/json";
import typescript from "highlight.js/lib/languages/typescript";
import { escaped } from "./escaped.ts";

for (const [name, language] of Object.entries({ bash, http, ini, json, typescript })) {
  hljs.registerLanguage(name, language);
}

/** A block of code with syntax highlighting. Of a console session, only the commands are copied. */
export function codeBlock(text: string, language: string): string {
  const isSession = language === "console";
  const html = isSession ? session(text) : highlighted(text, language);
  const copied = isSession ? ` data-copy="${escaped(commandsIn(text).join("\n"))}"` : "";
  const kind = isSession ? " session" : language === "text" ? " output" : "";
  return `<div class="code${kind}"${copied}><pre tabindex="0"><code>${html}</code></pre></div>\n`;
}

function highlighted(text: string, language: string): string {
  return hljs.getLanguage(language) === undefined ? escaped(text) : hljs.highlight(text, { language }).value;
}

/** The commands of a console session: what follows `$ `, continued after `\`. */
const COMMAND = /^\$ ((?:[^\\\n]|\\[\s\S])*)$/gm;

function commandsIn(text: string): string[] {
  return [...text.matchAll(COMMAND)].map(([, command = ""]) => command);
}

/** A console session: commands, highlighted as shell code, with their output between them. */
function session(text: string): string {
  let html = "";
  let end = 0;
  for (const match of text.matchAll(COMMAND)) {
    const [all, command = ""] = match;
    html += output(text.slice(end, match.index));
    html += `<span class="prompt">$ </span>${highlighted(command, "bash")}`;
    end = match.index + all.length;
  }
  return html + output(text.slice(end));
}

function output(text: string): string {
  const body = text.trim();
  if (body.startsWith("HTTP/")) return highlighted(text, "http");
  return /^[[{]/.test(body) ? highlighted(text, "json") : escaped(text);
}
