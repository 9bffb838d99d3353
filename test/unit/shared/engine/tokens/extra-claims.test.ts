import { expect } from 'chai';
import { checkExtraClaims, parseExtraClaims, refusedExtraClaims } from '#shared/engine/tokens/extra-claims.ts';
import { OAuthError } from '#shared/model/refusals/oauth-error.ts';
import { verifies } from '#test/support/verifies.ts';

const refusedByTheServer = [
  ...['iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'jti', 'client_id', 'scope', 'token_use', 'azp', 'nonce'],
  ...['auth_time', 'amr', 'at_hash', 'token_type', 'rt_family', 'resource', 'roles', 'authorities', 'tenant'],
  ...['groups', 'entitlements', 'identity_class', 'source_acl', 'attributes', 'username', 'req_', 'req_anything'],
];
const refusedAsStandard = [
  ...['name', 'given_name', 'family_name', 'middle_name', 'nickname', 'preferred_username', 'profile', 'picture'],
  ...['website', 'email', 'email_verified', 'gender', 'birthdate', 'zoneinfo', 'locale', 'phone_number'],
  ...['phone_number_verified', 'address', 'updated_at'],
];

function refusal(value: unknown): OAuthError {
  try {
    checkExtraClaims(value);
  } catch (error) {
    if (error instanceof OAuthError) return error;
    throw error;
  }
  return expect.fail('it was not refused');
}

describe('extra claims', () => {
  verifies(['TOK-13', 'TOK-14'], 'refuses every name the server or the standard gives a meaning', () => {
    for (const name of [...refusedByTheServer, ...refusedAsStandard]) {
      expect(refusal({ [name]: 1 }).body, name).to.deep.equal({
        error: 'invalid_request',
        error_description: `'extra' cannot set: ${name}`,
      });
    }
  });

  verifies('TOK-12', 'lists refused names whatever else could be said of the values', () => {
    const told = { error: 'invalid_request', error_description: "'extra' cannot set: aud, sub" };
    const deep = JSON.parse(`${'['.repeat(101)}${']'.repeat(101)}`);
    expect(refusal({ sub: 'x', n: 2 ** 53, aud: deep }).body).to.deep.equal(told);
  });

  verifies('TOK-11', 'refuses a value nested so deep that no token could carry it', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
    expect(checkExtraClaims(nested(100))).to.deep.equal(nested(100));
    expect(refusal(nested(101)).body).to.deep.equal({
      error: 'invalid_request',
      error_description: "'extra' is nested more than 100 levels deep.",
    });
    expect(() => parseExtraClaims(`{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)).to.throw(OAuthError);
  });

  verifies(['TOK-10', 'TOK-11'], 'refuses by name what would be rounded, and keeps what is exact', () => {
    const description = (text: string) => {
      try {
        return parseExtraClaims(text);
      } catch (error) {
        return error instanceof OAuthError ? error.message : error;
      }
    };
    for (const number of ['1234567890123456789', '-9007199254740993', '9007199254740992']) {
      const told = description(`{"ok":1,"id":{"deep":[${number}]}}`);
      expect(told).to.contain('beyond 2^53').and.to.contain('id').and.not.to.contain('ok');
    }
    for (const number of ['1e400', '-1e400']) {
      expect(description(`{"ok":1,"id":[${number}]}`)).to.equal(
        "'extra' contains numbers that would be rounded: id. Send whole numbers beyond 2^53 (up to 1e21), and any number beyond 1.8e308, as strings.",
      );
    }
    for (const exact of ['9007199254740991', '-9007199254740991', '0.1', '1e300']) {
      expect(description(`{"id":${exact}}`)).to.deep.equal({ id: Number(exact) });
    }
    expect(description('{"id":"1234567890123456789"}')).to.deep.equal({ id: '1234567890123456789' });
  });

  it('takes names that only resemble them', () => {
    const names = [
      'Sub',
      'subject',
      'req',
      'requested',
      'x_req_',
      'emails',
      'department',
      '',
      '__proto__',
      'constructor',
    ];
    expect(refusedExtraClaims(names)).to.deep.equal([]);
  });

  verifies('TOK-12', 'lists the refused names sorted by code point and joined with a comma and a space', () => {
    const extra = { zoneinfo: 1, aud: 2, fine: 3, 'req_\u{1F600}': 4, 'req_\uFFFD': 5, address: 6 };
    expect(refusal(extra).message).to.equal("'extra' cannot set: address, aud, req_\uFFFD, req_\u{1F600}, zoneinfo");
    expect(refusal(extra).status).to.equal(400);
  });

  verifies('TOK-15', 'refuses a name whatever its value and whatever stands beside it', () => {
    expect(refusal({ purpose: 'test', roles: [] }).message).to.equal("'extra' cannot set: roles");
    expect(refusal({ sub: undefined }).message).to.equal("'extra' cannot set: sub");
  });

  verifies('TOK-11', 'refuses what is no JSON object', () => {
    for (const text of ['', '{', 'null', '[]', '"text"', '7', 'true', '[{"a":1}]']) {
      expect(() => parseExtraClaims(text), text)
        .to.throw(OAuthError, /must be a JSON object/)
        .with.property('error', 'invalid_request');
    }
  });

  it('hands on the object as it is', () => {
    expect(parseExtraClaims('{"purpose":"test","nested":{"sub":1}}')).to.deep.equal({
      purpose: 'test',
      nested: { sub: 1 },
    });
  });
});
