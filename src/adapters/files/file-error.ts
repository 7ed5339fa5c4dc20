/** A file that cannot be read or written; the message says which and why. */
export class FileError extends Error {}

const REASONS: Record<string, string> = {
  ENOENT: "there is no such file or directory",
  EISDIR: "it is a directory",
  ENOTDIR: "a part of its path is not a directory",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  EFBIG: "it would become too large",
  EMFILE: "too many files are open",
};

/** An error of the file system, in words; any other stays what it is. `doing`: "read", "written", … */
export function fileError(path: string, doing: string, error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  return new FileError(`${path} cannot be ${doing}: ${REASONS[code] ?? code}.`);
}

/** Node's code of a system error: `ENOENT`, `EPIPE`, … */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return undefined;
  return String(error.code);
}
