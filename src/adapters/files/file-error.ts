/** A file cannot be read or written; the message states which and why. */
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

/** Describes an error of the file system; returns other errors unchanged. `participle`: "read" or "written". */
export function fileError(path: string, participle: "read" | "written", error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  return new FileError(`${path} cannot be ${participle}: ${REASONS[code] ?? code}.`);
}

/** The code of a system error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return undefined;
  return String(error.code);
}
