// npm packs files with their modes, which depend on the umask of the checkout and build. This sets the same modes for
// every pack (PKG-01).
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** npm always packs these, independently of `files`. */
const always = ['package.json', 'README.md', 'LICENSE'];

export function setPackedModes(root) {
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const path of [...always, ...files.filter((name) => !name.startsWith('!'))]) setModes(join(root, path));
}

function setModes(path) {
  const stat = statSync(path);
  if (stat.isDirectory()) for (const name of readdirSync(path)) setModes(join(path, name));
  else chmodSync(path, stat.mode & 0o100 ? 0o755 : 0o644);
}
