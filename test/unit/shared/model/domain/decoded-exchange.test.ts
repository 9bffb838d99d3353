// What is kept of the tokens of an exchange.
import { expect } from 'chai';
import { decodedExchange } from '#shared/model/domain/decoded-exchange.ts';
import type { RecordedEndpoint } from '#shared/model/domain/exchange.ts';
import { verifies } from '#test/support/verifies.ts';
import { newExchange } from '../../../../contract/parts/exchanges.ts';

describe('what is kept of tokens', () => {
  const groups = Array.from({ length: 400 }, (_, index) => `group-${index}-of-many`);
  const text = JSON.stringify(groups);

  verifies(
    ['REC-05', 'REC-11', 'VER-K19'],
    'of claims that are too long the long ones are cut, and nothing else',
    () => {
      expect(kept('introspect', 'token', { sub: 'alice', exp: 7, token_use: 'access', groups })).to.deep.equal({
        ...{ sub: 'alice', exp: 7, token_use: 'access' },
        groups: `${text.slice(0, 256)}… (${text.length} characters)`,
      });
      expect(kept('introspect', 'token', { groups: ['a'] })).to.deep.equal({ groups: ['a'] });
      const many = Object.fromEntries(groups.map((name) => [name, true]));
      expect(kept('introspect', 'token', many)).to.equal(
        `${JSON.stringify(many).slice(0, 4096)}… (${JSON.stringify(many).length} characters)`,
      );
    },
  );

  verifies('REC-11', 'a request object is kept whole, or its beginning', () => {
    const claims = { state: 's', groups };
    expect(kept('authorize', 'request', claims)).to.equal(
      `${JSON.stringify(claims).slice(0, 4096)}… (${JSON.stringify(claims).length} characters)`,
    );
  });
});

function kept(endpoint: RecordedEndpoint, name: string, claims: object): unknown {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const unsigned = `${part({ alg: 'RS256' })}.${part(claims)}`;
  const content = { ...newExchange().content, decoded: [{ name, in: 'parameters', unsigned }] } as const;
  return decodedExchange(newExchange({ endpoint, content })).content.decoded[0]?.jwt?.claims;
}
