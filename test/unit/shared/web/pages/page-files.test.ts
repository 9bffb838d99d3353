// The files in the folders of style sheets and scripts are exactly those that browsers get.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { assets } from '#shared/web/pages/assets.ts';
import { pageFile } from '#shared/web/pages/page-files.ts';
import { repositoryRoot } from '#test/support/source-text.ts';

const namesIn = (folder: string, ending: string) =>
  readdirSync(join(repositoryRoot, 'shared/web/pages', folder)).filter((name) => name.endsWith(ending));

describe('the files of the pages', () => {
  it('include every style sheet in the one that is served', () => {
    const served = Buffer.from(assets.get('style.css')?.bytes ?? []).toString();
    const names = namesIn('style', '.css');
    expect(names).to.have.length.above(4);
    for (const name of names) expect(served, name).to.contain(pageFile(`style/${name}`));
  });

  it('include only scripts that are served', () => {
    const served = [...assets.keys()].filter((name) => name.endsWith('.js'));
    expect(served.sort()).to.deep.equal(namesIn('scripts', '.js').sort());
  });
});
