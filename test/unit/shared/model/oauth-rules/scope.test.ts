import { expect } from 'chai';
import fc from 'fast-check';
import { narrowScope, parseScope, permittedScope, resolveScope } from '#shared/model/oauth-rules/scope.ts';
import { OAuthError } from '#shared/model/refusals/oauth-error.ts';
import { sentences } from '#test/support/sentences.ts';
import { verifies } from '#test/support/verifies.ts';

const vocabulary = ['openid', 'profile', 'email', 'offline_access', 'api:read'];

function rules(enforceScope: boolean, unknown_scopes: 'reject' | 'ignore' | 'grant' = 'reject') {
  return { rules: { enforceScope }, settings: { oauth: { scopes_supported: vocabulary, unknown_scopes } } };
}

const unrestricted = { scopes: [] };
const restricted = { scopes: ['openid', 'api:read'] };

function refusalOf(run: () => unknown): { error: string; description: string } {
  try {
    run();
  } catch (error) {
    if (error instanceof OAuthError) return { error: error.error, description: error.message };
    throw error;
  }
  throw new Error('nothing was rejected');
}

function grantedOf(...of: Parameters<typeof resolveScope>): readonly string[] {
  return resolveScope(...of).granted;
}

const name = fc.stringMatching(/^[\x21\x23-\x5b\x5d-\x7e]{1,12}$/);

describe('the check of a scope', () => {
  verifies('SCO-10', 'ignores repeated names, and keeps the order of first mention', () => {
    expect(parseScope('email openid email  profile openid')).to.deep.equal(['email', 'openid', 'profile']);
    expect(parseScope('')).to.deep.equal([]);
    expect(parseScope('   ')).to.deep.equal([]);
  });

  verifies('SCO-01', 'rejects a name outside the vocabulary', () => {
    expect(refusalOf(() => resolveScope('openid admin', 'none', unrestricted, rules(true)))).to.deep.equal({
      error: 'invalid_scope',
      description: sentences.scopeAdminUnsupported,
    });
  });

  verifies('SCO-02', 'rejects a name outside the client’s scopes, but checks the vocabulary first', () => {
    expect(refusalOf(() => resolveScope('openid email', 'none', restricted, rules(true)))).to.deep.equal({
      error: 'invalid_scope',
      description: 'This client may not request these scopes (see scope in its entry): email',
    });
    expect(refusalOf(() => resolveScope('email admin', 'none', restricted, rules(true))).description).to.equal(
      sentences.scopeAdminUnsupported,
    );
  });

  verifies('SCO-03', 'lists the rejected names sorted by code point', () => {
    expect(
      refusalOf(() => resolveScope('zeta Beta alpha openid', 'none', unrestricted, rules(true))).description,
    ).to.equal('Unsupported scopes (see oauth.scopes_supported): Beta, alpha, zeta');
  });

  verifies('SCO-03', 'omits rejected names only beyond a thousand characters in total', () => {
    const listed = (...names: string[]) =>
      refusalOf(() => resolveScope(names.join(' '), 'none', unrestricted, rules(true))).description.replace(
        /^.*scopes_supported\): /,
        '',
      );
    const many = Array.from({ length: 30 }, (_, index) => `scope:${index + 10}`);
    expect(listed(...many)).to.equal(many.join(', '));
    const long = `urn:${'x'.repeat(200)}`;
    expect(listed('api', long)).to.equal(`api, ${long}`);
    const fives = Array.from({ length: 300 }, (_, index) => `n${index + 1000}`);
    expect(listed(...fives)).to.equal(`${fives.slice(0, 142).join(', ')} and 158 more`);
    expect(listed('y'.repeat(2000), 'z')).to.equal(`${'y'.repeat(255)}..., z`);
  });

  verifies('SCO-09', 'grants every name while enforcement is off', () => {
    expect(grantedOf('admin openid', 'none', restricted, rules(false))).to.deep.equal(['admin', 'openid']);
  });

  it('applies the default of the endpoint', () => {
    expect(grantedOf(undefined, 'restriction_or_openid', restricted, rules(true))).to.deep.equal([
      'openid',
      'api:read',
    ]);
    expect(grantedOf(undefined, 'restriction_or_openid', unrestricted, rules(true))).to.deep.equal(['openid']);
    expect(grantedOf(undefined, 'restriction', restricted, rules(true))).to.deep.equal(['openid', 'api:read']);
    expect(grantedOf(undefined, 'restriction', unrestricted, rules(true))).to.deep.equal([]);
    expect(grantedOf(undefined, 'none', restricted, rules(true))).to.deep.equal([]);
  });

  verifies(['SCO-03', 'SCO-05', 'SCO-06'], 'says that a default outside the vocabulary was not requested', () => {
    const foreign = { scopes: ['api:read', 'api:write'] };
    const { settings } = { settings: { oauth: { scopes_supported: ['api:read'], unknown_scopes: 'reject' as const } } };
    const snapshot = { rules: { enforceScope: true }, settings };
    for (const [kind, client, name] of [
      ['restriction_or_openid', unrestricted, 'openid'],
      ['restriction_or_openid', foreign, 'api:write'],
      ['restriction', foreign, 'api:write'],
    ] as const) {
      const { error, description } = refusalOf(() => resolveScope(undefined, kind, client, snapshot));
      expect(error).to.equal('invalid_scope');
      expect(description)
        .to.match(/^The request has no scope\. /)
        .and.to.match(new RegExp(`: ${name}$`));
    }
    expect(refusalOf(() => resolveScope('api:write', 'restriction', foreign, snapshot)).description).to.match(
      /^Unsupported scopes/,
    );
  });

  it('rejects a blank value, which is not the same as an omitted one (RFC 6749 §3.3)', () => {
    for (const blank of [' ', '   ', '']) {
      for (const enforced of [true, false]) {
        expect(
          refusalOf(() => resolveScope(blank, 'restriction_or_openid', restricted, rules(enforced))),
        ).to.deep.equal({
          error: 'invalid_scope',
          description: "'scope' is blank. Omit it, or name at least one scope.",
        });
      }
      expect(refusalOf(() => narrowScope(blank, ['openid'], unrestricted, rules(true))).error).to.equal(
        'invalid_scope',
      );
    }
  });

  it('narrows to a subset and never widens', () => {
    const granted = ['openid', 'email'];
    expect(narrowScope(undefined, granted, unrestricted, rules(true)).granted).to.deep.equal(['openid', 'email']);
    expect(narrowScope('email', granted, unrestricted, rules(true)).granted).to.deep.equal(['email']);
    expect(() => narrowScope('email profile', granted, unrestricted, rules(true)))
      .to.throw(OAuthError)
      .with.property('details')
      .deep.equal({ rejected_scopes: ['profile'] });
  });

  it('grants only names within the vocabulary and the client’s scopes, for any request', () => {
    const known = fc.subarray([...vocabulary, 'admin']);
    const texts = fc.oneof(
      fc.string(),
      known.map((names) => names.join(' ')),
    );
    fc.assert(
      fc.property(texts, fc.oneof(fc.array(name), known), (text, scopes) => {
        let granted: readonly string[];
        try {
          granted = grantedOf(text, 'restriction', { scopes }, rules(true));
        } catch (error) {
          if (!(error instanceof OAuthError)) throw error;
          expect(error.refusal.code === 'scope_blank').to.equal(parseScope(text).length === 0);
          return;
        }
        expect(parseScope(text)).to.deep.equal(granted);
        expect(granted.every((entry) => vocabulary.includes(entry))).to.equal(true);
        if (scopes.length > 0) expect(granted.every((entry) => scopes.includes(entry))).to.equal(true);
        expect(new Set(granted).size).to.equal(granted.length);
      }),
    );
  });

  it('writes descriptions that RFC 6749 allows, of limited length, for any request', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }), { minLength: 1, maxLength: 60 }),
        (names) => {
          const text = names.join(' ');
          if (parseScope(text).length === 0) return;
          try {
            permittedScope(parseScope(text), unrestricted, {
              ...rules(true),
              settings: { oauth: { scopes_supported: [], unknown_scopes: 'reject' } },
            });
            throw new Error('nothing was rejected');
          } catch (error) {
            if (!(error instanceof OAuthError)) throw error;
            expect(error.message).to.match(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
            expect(error.message.length).to.be.lessThan(3000);
          }
        },
      ),
    );
  });

  it('parses 64 KB of names without delay', () => {
    const text = Array.from({ length: 20_000 }, (_, index) => `s${index}`).join(' ');
    expect(() => resolveScope(text, 'none', unrestricted, rules(true))).to.throw(OAuthError);
  });
});

describe('scopes outside the vocabulary', () => {
  verifies('UNK-01', 'are rejected with reject, and count in every profile where scopes are enforced', () => {
    expect(refusalOf(() => resolveScope('openid admin', 'none', unrestricted, rules(true, 'reject'))).error).to.equal(
      'invalid_scope',
    );
    for (const mode of ['ignore', 'grant'] as const) {
      expect(() => resolveScope('openid admin', 'none', unrestricted, rules(true, mode))).not.to.throw();
    }
  });

  verifies('UNK-02', 'are dropped with ignore, and a request with nothing left has the default', () => {
    const ignore = rules(true, 'ignore');
    const ask = (text: string, ...by: ['none' | 'restriction' | 'restriction_or_openid', { scopes: string[] }]) =>
      resolveScope(text, ...by, ignore);
    expect(ask('admin openid root', 'none', unrestricted)).to.deep.equal({
      granted: ['openid'],
      ignored: ['admin', 'root'],
    });
    const nothingLeft = (granted: readonly string[]) => ({ granted, ignored: ['admin'] });
    expect(ask('admin', 'restriction_or_openid', unrestricted)).to.deep.equal(nothingLeft(['openid']));
    expect(ask('admin', 'restriction_or_openid', restricted)).to.deep.equal(nothingLeft(['openid', 'api:read']));
    expect(ask('admin', 'restriction', unrestricted)).to.deep.equal(nothingLeft([]));
    expect(ask('admin', 'none', restricted)).to.deep.equal(nothingLeft([]));
    expect(ask('admin', 'restriction', { scopes: ['admin', 'openid'] })).to.deep.equal(nothingLeft(['openid']));
    expect(refusalOf(() => ask('email admin', 'none', restricted)).description).to.contain('email');
    expect(refusalOf(() => ask(' ', 'none', restricted)).error).to.equal('invalid_scope');
  });

  verifies('UNK-02', 'are dropped at a refresh too, which has no default', () => {
    const refreshed = (text: string) => narrowScope(text, ['openid', 'email'], unrestricted, rules(true, 'ignore'));
    expect(refreshed('admin email')).to.deep.equal({ granted: ['email'], ignored: ['admin'] });
    expect(refreshed('admin')).to.deep.equal({ granted: ['openid', 'email'], ignored: ['admin'] });
    expect(() => refreshed('admin profile')).to.throw(OAuthError);
  });

  verifies('UNK-03', 'are granted with grant, at most 50 of at most 200 characters, in the grammar of a name', () => {
    const grant = rules(true, 'grant');
    const ask = (names: readonly string[], client: { scopes: string[] } = unrestricted) =>
      grantedOf(names.join(' '), 'none', client, grant);
    const many = Array.from({ length: 50 }, (_, index) => `s${index}`);
    expect(ask(['admin', 'openid'])).to.deep.equal(['admin', 'openid']);
    expect(ask([...many, ...vocabulary])).to.deep.equal([...many, ...vocabulary]);
    expect(ask(['x'.repeat(200)])).to.have.length(1);
    for (const names of [[...many, 'one-more'], ['x'.repeat(201)], ['"quoted"'], ['back\\slash'], ['\u00e9']]) {
      expect(refusalOf(() => ask(names)).error, names.at(-1)).to.equal('invalid_scope');
    }
    expect(refusalOf(() => ask(['admin', 'openid'], restricted)).description).to.contain('admin');
    expect(ask(['admin'], { scopes: ['admin'] })).to.deep.equal(['admin']);
  });
});
