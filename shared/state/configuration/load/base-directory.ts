// The base of relative paths in a configuration (CFG-13): its directory, or else the working directory.
export function baseDirectory(directory: string | undefined): string {
  return directory ?? process.cwd();
}
