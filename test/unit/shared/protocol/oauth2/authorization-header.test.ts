import { expect } from 'chai';
import fc from 'fast-check';
import { basicCredentials, bearerCredentials, tokenCredentials } from '#shared/protocol/oauth2/authorization-header.ts';
import { verifies } from '#test/support/verifies.ts';

function basic(text: string): string {
  return `Basic ${Buffer.from(text).toString('base64')}`;
}

describe('Authorization header', () => {
  verifies('CLT-06', 'splits at the first colon and form-decodes both halves after the base64 step', () => {
    expect(basicCredentials(basic('web:a:b'))).to.deep.equal({
      kind: 'credentials',
      user: 'web',
      password: 'a:b',
      rawPassword: 'a:b',
    });
    expect(basicCredentials(basic('my%3Aapp:p%25a+b%2B'))).to.deep.equal({
      kind: 'credentials',
      user: 'my:app',
      password: 'p%a b+',
      rawPassword: 'p%25a+b%2B',
    });
    expect(basicCredentials(basic('web:'))).to.deep.equal({
      kind: 'credentials',
      user: 'web',
      password: '',
      rawPassword: '',
    });
  });

  it('reads the scheme in any case', () => {
    expect(basicCredentials(basic('a:b').replace('Basic', 'bAsIc')).kind).to.equal('credentials');
    expect(bearerCredentials('bEARER abc.def-_~+/==')).to.deep.equal({
      kind: 'token',
      token: 'abc.def-_~+/==',
      scheme: 'bearer',
    });
    expect(tokenCredentials('bearer a.b').kind).to.equal('token');
    expect(tokenCredentials('dpOp a.b')).to.deep.equal({ kind: 'token', token: 'a.b', scheme: 'dpop' });
    expect(bearerCredentials('DPoP a.b').kind).to.equal('absent');
    expect(tokenCredentials('DPoP').kind).to.equal('malformed');
    expect(tokenCredentials('Basic YTpi').kind).to.equal('absent');
  });

  it('distinguishes absent from malformed', () => {
    expect(basicCredentials(undefined).kind).to.equal('absent');
    expect(basicCredentials('Bearer abc').kind).to.equal('absent');
    expect(basicCredentials('Basicx abc').kind).to.equal('absent');
    for (const header of [
      'Basic',
      'Basic ',
      'Basic !!!',
      basic('nocolon'),
      basic('a:%zz'),
      'Basic /////w==',
      'Basic a b',
      // `web:a` in encodings that are not Base64: with spaces, in the URL alphabet, with trailing characters.
      'Basic d2Vi OmE=',
      'Basic d2ViOj8_',
      'Basic d2ViOmE=d2ViOmE=',
    ]) {
      expect(basicCredentials(header).kind, header).to.equal('malformed');
    }
    expect(bearerCredentials(undefined).kind).to.equal('absent');
    expect(bearerCredentials('Basic abc').kind).to.equal('absent');
    for (const header of ['Bearer', 'Bearer ', 'Bearer a b', 'Bearer é', 'Bearer a,b']) {
      expect(bearerCredentials(header).kind, header).to.equal('malformed');
    }
  });

  it('returns what a client form-encoded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (user, password) => {
        const encoded = `${new URLSearchParams({ u: user }).toString().slice(2)}:${new URLSearchParams({ p: password }).toString().slice(2)}`;
        expect(basicCredentials(basic(encoded))).to.include({ kind: 'credentials', user, password });
      }),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const header of [text, `Basic ${text}`, basic(text), `Bearer ${text}`]) {
          basicCredentials(header);
          bearerCredentials(header);
        }
      }),
    );
  });
});
