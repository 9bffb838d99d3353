// What is derived from the configuration models is in the repository as it would be written today, and the shipped
// configuration is what `init` writes.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { configurationTypes } from '#build/configuration-types.ts';
import { demoGuide, withDemoCode } from '#build/demo-guide.ts';
import { configurationDocuments } from '#build/documents/configuration.ts';
import { starterFiles } from '#cli/starter-files.ts';

const file = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

describe('generated documents', () => {
  for (const [path, text] of Object.entries({
    ...configurationDocuments(),
    'api/configuration-types.ts': configurationTypes(),
  })) {
    it(`${path} is fresh; else run npm run docs`, () => {
      expect(file(path)).to.equal(text);
    });
  }

  it(`${demoGuide} shows the code that runs; else run npm run docs`, () => {
    const guide = file(demoGuide);
    expect(guide)
      .to.equal(withDemoCode(guide))
      .and.to.include('export class RelyingParty')
      .and.to.include('#asserted(');
  });

  for (const [name, text] of Object.entries(starterFiles)) {
    it(`config/${name} is the file that init writes, below a line for editors`, () => {
      const schema = name.replace('.yaml', '.schema.json');
      expect(file(`config/${name}`)).to.equal(`# yaml-language-server: $schema=../docs/schema/${schema}\n${text}`);
    });
  }
});
