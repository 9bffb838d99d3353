// The style sheets and scripts for browsers, read from the source tree. The build replaces this module with their
// minified texts (build/page-files.mjs), so that the built program reads no file for them.
import { readFileSync } from 'node:fs';

/** `path` is relative to shared/web/pages: `style/base.css`, `scripts/copy.js`. Throws when there is no such file. */
export function pageFile(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}
