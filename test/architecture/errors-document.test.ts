// docs/errors.md names every code that the sources declare: OAuth and MCP codes, the kinds of rejected rotations, and
// every rejection.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { withRefusals } from '#build/documents/refusals.ts';
import { mcpRefusals } from '#shared/model/refusals/families/mcp.ts';
import { repositoryRoot } from '#test/support/source-text.ts';

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8');

/** The quoted members of the union that `type <name> =` declares. */
function members(path: string, name: string): string[] {
  const [, union = ''] = new RegExp(`^(?:export )?type ${name} =([^;]*);`, 'm').exec(read(path)) ?? [];
  return [...union.matchAll(/'([a-zA-Z_]+)'/g)].map(([, member = '']) => member);
}

describe('docs/errors.md', () => {
  for (const [path, name] of [
    ['shared/protocol/oauth2/error-codes.ts', 'OAuthErrorCode'],
    ['shared/state/keys/key-ring.ts', 'KeyRotationRefusal'],
    ['shared/state/configuration/active-configuration.ts', 'ObservationFailureKind'],
  ] as const) {
    it(`names every ${name}`, () => {
      const codes = members(path, name);
      expect(codes.length, path).to.be.at.least(3);
      const text = read('docs/errors.md');
      expect(codes.filter((code) => !text.includes(`\`${code}\``))).to.deep.equal([]);
    });
  }

  it('explains each code of a rejected call in its section on MCP', () => {
    const [, section = ''] = /^## MCP\n(.*?)^## /ms.exec(read('docs/errors.md')) ?? [];
    const codes = Object.keys(mcpRefusals).filter((code) => code.startsWith('MCP_'));
    expect(codes).to.have.length(7);
    expect(codes.filter((code) => !section.includes(`| \`${code}\``))).to.deep.equal([]);
  });

  it('lists every rejection of the tables, or else needs npm run docs', () => {
    const text = read('docs/errors.md');
    expect(text).to.equal(withRefusals(text));
  });
});
