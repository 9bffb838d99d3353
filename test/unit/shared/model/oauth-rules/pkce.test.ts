import { expect } from 'chai';
import fc from 'fast-check';
import { isCodeChallenge, isCodeVerifier, s256Challenge, verifierMatches } from '#shared/model/oauth-rules/pkce.ts';
import { verifies } from '#test/support/verifies.ts';

const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

describe('PKCE', () => {
  verifies('GRT-04', 'matches the example of RFC 7636 appendix B, but nothing similar', () => {
    expect(s256Challenge(verifier)).to.equal(challenge);
    expect(verifierMatches(verifier, challenge, 'S256')).to.equal(true);
    expect(verifierMatches(`${verifier}x`, challenge, 'S256')).to.equal(false);
    expect(verifierMatches(challenge, challenge, 'S256')).to.equal(false);
    expect(verifierMatches(verifier, `${challenge}=`, 'S256')).to.equal(false);
  });

  it('knows the grammar of verifier and challenge (RFC 7636 §4.1, §4.2)', () => {
    for (const good of ['a'.repeat(43), '-._~'.repeat(32), verifier]) expect(isCodeVerifier(good), good).to.equal(true);
    for (const bad of ['', 'a'.repeat(42), 'a'.repeat(129), `${'a'.repeat(42)}+`, `${verifier}\n`, 'é'.repeat(43)]) {
      expect([isCodeVerifier(bad), isCodeChallenge(bad, 'plain'), isCodeChallenge(bad, 'S256')], bad).to.deep.equal([
        false,
        false,
        false,
      ]);
    }
    expect(isCodeChallenge(challenge, 'S256')).to.equal(true);
    for (const bad of [`${challenge}=`, `${challenge}A`, challenge.replace('-', '+'), `~${challenge.slice(1)}`]) {
      expect(isCodeChallenge(bad, 'S256'), bad).to.equal(false);
    }
    expect(isCodeChallenge('~'.repeat(128), 'plain')).to.equal(true);
  });

  it('compares plain challenges literally', () => {
    expect(verifierMatches(verifier, verifier, 'plain')).to.equal(true);
    expect(verifierMatches(verifier, challenge, 'plain')).to.equal(false);
  });

  verifies('GRT-04', 'never matches a verifier that is not visible ASCII, even if its bytes would match', () => {
    for (const odd of ['é', '\u0141', 'a b', '', '\u0000', 'a\n', '\ud83d\ude00']) {
      expect(verifierMatches(odd, s256Challenge(odd), 'S256')).to.equal(false);
      expect(verifierMatches(odd, odd, 'plain')).to.equal(false);
    }
  });

  it('matches each generated verifier only with its own challenge', () => {
    const verifiers = fc.stringMatching(/^[A-Za-z0-9\-._~]{43,128}$/);
    fc.assert(
      fc.property(verifiers, verifiers, (one, other) => {
        expect(verifierMatches(one, s256Challenge(one), 'S256')).to.equal(true);
        expect(verifierMatches(one, s256Challenge(other), 'S256')).to.equal(one === other);
      }),
    );
  });

  it('never throws for hostile input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
        verifierMatches(one, other, 'S256');
        verifierMatches(one, other, 'plain');
      }),
    );
    expect(verifierMatches('a'.repeat(65_536), challenge, 'S256')).to.equal(false);
  });
});
