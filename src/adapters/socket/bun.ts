/** Maps a file into memory that all processes share which map it. Only Bun can. @throws when the file cannot be mapped */
export function mapFile(path: string): Uint8Array {
  return Bun.mmap(path, { shared: true });
}
