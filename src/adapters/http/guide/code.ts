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

/** A block of code, coloured. What is to be copied of it is said where that is not all of it. */
export function codeBlock(text: string, language: string): string {
  const isSession = language === "console";
  const html = isSession ? session(text) : coloured(text, language);
  const copied = isSession ? ` data-copy="${escaped(commandsIn(text).join("\n"))}"` : "";
  const kind = isSession ? " session" : language === "text" ? " output" : "";
  return `<div class="code${kind}"${copied}><pre tabindex="0"><code>${html}</code></pre></div>\n`;
}

function coloured(text: string, language: string): string {
  return hljs.getLanguage(language) === undefined ? escaped(text) : hljs.highlight(text, { language }).value;
}

/** The commands of a console session: what follows `$ `, continued after `\`. */
const COMMAND = /^\$ ((?:[^\\\n]|\\[\s\S])*)$/gm;

function commandsIn(text: string): string[] {
  return [...text.matchAll(COMMAND)].map(([, command = ""]) => command);
}

/** A console session: commands as the shell's, between them what was answered. */
function session(text: string): string {
  let html = "";
  let end = 0;
  for (const match of text.matchAll(COMMAND)) {
    const [all, command = ""] = match;
    html += answer(text.slice(end, match.index));
    html += `<span class="prompt">$ </span>${coloured(command, "bash")}`;
    end = match.index + all.length;
  }
  return html + answer(text.slice(end));
}

function answer(text: string): string {
  const body = text.trim();
  if (body.startsWith("HTTP/")) return coloured(text, "http");
  return /^[[{]/.test(body) ? coloured(text, "json") : escaped(text);
}
