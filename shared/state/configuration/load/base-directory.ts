// What relative paths of a configuration are seen from (CFG-13): its directory, and without one the working directory.
export function baseDirectory(directory: string | undefined): string {
  return directory ?? process.cwd();
}
