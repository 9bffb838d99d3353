// Adds the style sheets and scripts of the pages to the bundle, without comments and white space.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';

const pages = fileURLToPath(new URL('../shared/web/pages', import.meta.url));
const isServed = (path) => /\.(?:css|js)$/.test(path);

export const pageFiles = {
  name: 'page-files',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]shared[\\/]web[\\/]pages[\\/]page-files\.ts$/ }, async () => {
      const paths = ['style', 'scripts'].flatMap((folder) => {
        return readdirSync(join(pages, folder))
          .map((name) => `${folder}/${name}`)
          .filter(isServed);
      });
      const texts = Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await smaller(path)])));
      return { contents: `const texts = ${JSON.stringify(texts)}; export const pageFile = (path) => texts[path];` };
    });
  },
};

/** Only white space is removed, so that browsers get the colours and conditions of the file. */
async function smaller(path) {
  const loader = path.endsWith('.css') ? 'css' : 'js';
  const { code } = await transform(readFileSync(join(pages, path), 'utf8'), { loader, minifyWhitespace: true });
  return code;
}
