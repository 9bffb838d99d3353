// The code of the demonstration in its guide: each block stands between two lines that name its file, and is that file.
import { readFileSync } from 'node:fs';

export const demoGuide = 'docs/guides/demo.md';

const places = /^<!-- code: (\S+) -->\n.*?^<!-- end of code -->$/gms;

/** The guide with its blocks as the files are now. */
export function withDemoCode(guide: string): string {
  return guide.replaceAll(places, (_, path: string) => {
    const code = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
    return `<!-- code: ${path} -->\n\n\`\`\`ts\n${code}\`\`\`\n\n<!-- end of code -->`;
  });
}
