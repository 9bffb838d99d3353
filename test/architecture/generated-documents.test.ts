// The files that are generated from the configuration models are up to date, and the shipped configuration is what
// `init` writes.
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
    it(`include an up-to-date ${path}, or else need npm run docs`, () => {
      expect(file(path)).to.equal(text);
    });
  }

  it(`include ${demoGuide} with the code that runs, or else need npm run docs`, () => {
    const guide = file(demoGuide);
    expect(guide)
      .to.equal(withDemoCode(guide))
      .and.to.include('export class RelyingParty')
      .and.to.include('#asserted(');
  });

  for (const [name, text] of Object.entries(starterFiles)) {
    it(`include config/${name} as init writes it, after a line for editors`, () => {
      const schema = name.replace('.yaml', '.schema.json');
      expect(file(`config/${name}`)).to.equal(`# yaml-language-server: $schema=../docs/schema/${schema}\n${text}`);
    });
  }
});
