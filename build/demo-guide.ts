// The code of the demo in its guide. Each block is between two lines that name its file, and is the content of that
// file.
import { readFileSync } from 'node:fs';

export const demoGuide = 'docs/guides/demo.md';

const places = /^<!-- code: (\S+) -->\n.*?^<!-- end of code -->$/gms;

/** The guide with the current content of the files. */
export function withDemoCode(guide: string): string {
  return guide.replaceAll(places, (_, path: string) => {
    const code = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
    return `<!-- code: ${path} -->\n\n\`\`\`ts\n${code}\`\`\`\n\n<!-- end of code -->`;
  });
}
