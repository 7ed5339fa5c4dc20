import { join } from "node:path";

type Site = { directory: string; port: number; files: Record<string, string> };

/**
 * Returns the configuration of an nginx that serves each path in `files` as fast as possible: one process, no log, files
 * kept open. sendfile is off: for small files it is slower, because of an additional system call (with tcp_nopush) or
 * packet (without).
 */
export function nginxConfig({ directory, port, files }: Site): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${join(directory, kind)};`)
    .join("\n  ");
  const locations = Object.entries(files)
    .map(([path, file]) => `location = ${path} { alias ${file}; }`)
    .join("\n    ");
  // Only root can choose the worker's user, and must: the default user cannot read the directory.
  const user = process.getuid?.() === 0 ? "user root;" : "";
  return `
daemon off;
worker_processes 1;
${user}
pid ${join(directory, "nginx.pid")};
error_log ${join(directory, "nginx.log")} warn;
events { worker_connections 1024; }
http {
  ${temporary}
  access_log off;
  default_type application/json;
  sendfile off;
  tcp_nodelay on;
  keepalive_timeout 1h;
  keepalive_requests 1000000000;
  open_file_cache max=16 inactive=1h;
  open_file_cache_valid 1h;
  server {
    listen 127.0.0.1:${port};
    ${locations}
  }
}
`;
}
