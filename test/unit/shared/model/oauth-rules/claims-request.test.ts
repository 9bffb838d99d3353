import { expect } from 'chai';
import fc from 'fast-check';
import { parseClaimsRequest } from '#shared/model/oauth-rules/claims-request.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the claims parameter', () => {
  verifies('AUT-27', 'names the claims of each member; an object value counts as null', () => {
    expect(
      parseClaimsRequest('{"id_token":{"email":null,"auth_time":{"essential":true}},"userinfo":{"name":null}}')?.claims,
    ).to.deep.equal({ id_token: ['email', 'auth_time'], userinfo: ['name'] });
    expect(parseClaimsRequest('{"userinfo":{}}')?.claims).to.deep.equal({ id_token: [], userinfo: [] });
    expect(parseClaimsRequest('{}')?.claims).to.deep.equal({ id_token: [], userinfo: [] });
    expect(parseClaimsRequest('{"other":5,"id_token":{"a":null}}')?.claims).to.deep.equal({
      id_token: ['a'],
      userinfo: [],
    });
  });

  verifies('AUT-28', 'keeps usable members next to unusable ones', () => {
    expect(parseClaimsRequest('{"id_token":{"email":true,"name":null},"userinfo":"x"}')).to.deep.equal({
      claims: { id_token: ['name'], userinfo: [] },
      unusable: ['id_token.email', 'userinfo'],
    });
    for (const nothing of ['[]', 'null', '"email"', '{"email":true}', '{"email":"yes"}', '{"email":["a"]}']) {
      const read = parseClaimsRequest(`{"id_token":${nothing},"userinfo":{"name":{}}}`);
      expect([read?.claims, read?.unusable.length]).to.deep.equal([{ id_token: [], userinfo: ['name'] }, 1]);
    }
  });

  it('treats names of JavaScript properties as ordinary names', () => {
    expect(parseClaimsRequest('{"id_token":{"__proto__":null,"constructor":null}}')?.claims).to.deep.equal({
      id_token: ['__proto__', 'constructor'],
      userinfo: [],
    });
    expect(parseClaimsRequest('{"__proto__":{"id_token":{"a":null}}}')?.claims).to.deep.equal({
      id_token: [],
      userinfo: [],
    });
  });

  for (const text of [
    '',
    'null',
    '5',
    '"x"',
    '[]',
    '{',
    'email',
    `${'['.repeat(60_000)}`,
    `{"id_token":${'{"a":'.repeat(20_000)}`,
  ]) {
    verifies('AUT-28', `is ignored: ${text.slice(0, 40)}`, () => {
      expect(parseClaimsRequest(text)).to.equal(undefined);
    });
  }

  it('never throws, for any input', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string({ unit: 'binary' })), (text) => {
        const claims = parseClaimsRequest(text)?.claims;
        if (claims !== undefined) {
          expect(claims.id_token.every((name) => typeof name === 'string')).to.equal(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});
