import { expect } from 'chai';
import fc from 'fast-check';
import { checkScope, narrowScope, parseScope, resolveScope } from '#shared/model/oauth-rules/scope.ts';
import { OAuthError } from '#shared/model/refusals/oauth-error.ts';
import { sentences } from '#test/support/sentences.ts';
import { verifies } from '#test/support/verifies.ts';

const vocabulary = ['openid', 'profile', 'email', 'offline_access', 'api:read'];

function rules(enforceScope: boolean) {
  return { rules: { enforceScope }, settings: { oauth: { scopes_supported: vocabulary } } };
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
    expect(resolveScope('admin openid', 'none', restricted, rules(false))).to.deep.equal(['admin', 'openid']);
  });

  it('applies the default of the endpoint', () => {
    expect(resolveScope(undefined, 'restriction_or_openid', restricted, rules(true))).to.deep.equal([
      'openid',
      'api:read',
    ]);
    expect(resolveScope(undefined, 'restriction_or_openid', unrestricted, rules(true))).to.deep.equal(['openid']);
    expect(resolveScope(undefined, 'restriction', restricted, rules(true))).to.deep.equal(['openid', 'api:read']);
    expect(resolveScope(undefined, 'restriction', unrestricted, rules(true))).to.deep.equal([]);
    expect(resolveScope(undefined, 'none', restricted, rules(true))).to.deep.equal([]);
  });

  verifies(['SCO-03', 'SCO-05', 'SCO-06'], 'says that a default outside the vocabulary was not requested', () => {
    const foreign = { scopes: ['api:read', 'api:write'] };
    const { settings } = { settings: { oauth: { scopes_supported: ['api:read'] } } };
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
      expect(refusalOf(() => narrowScope(blank, ['openid'])).error).to.equal('invalid_scope');
    }
  });

  it('narrows to a subset and never widens', () => {
    const granted = ['openid', 'email'];
    expect(narrowScope(undefined, granted)).to.deep.equal(['openid', 'email']);
    expect(narrowScope('email', granted)).to.deep.equal(['email']);
    expect(() => narrowScope('email profile', granted))
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
          granted = resolveScope(text, 'restriction', { scopes }, rules(true));
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
            checkScope(parseScope(text), unrestricted, {
              ...rules(true),
              settings: { oauth: { scopes_supported: [] } },
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
