// What counts as a DPoP proof (RFC 9449 §4.3); the proofs are made by an independent implementation (jose).
import { expect } from 'chai';
import { base64url } from 'jose';
import { readDpopProof } from '#shared/engine/tokens/dpop-proof.ts';
import { accessTokenHash, type ProvingKey, provingKey } from '#test/support/dpop-proofs.ts';

const address = 'https://idp.example/token';
const seconds = () => Math.floor(Date.now() / 1000);

describe('a DPoP proof', () => {
  let key: ProvingKey;
  before(async () => {
    key = await provingKey();
  });

  const read = (proof: string, further: object = {}) =>
    readDpopProof(proof, { method: 'POST', addresses: [address], moments: [seconds()], ...further });
  const problemOf = async (proof: string | Promise<string>, further: object = {}): Promise<string> => {
    try {
      await read(await proof, further);
    } catch (error) {
      return (error as Error).message;
    }
    return 'none';
  };
  const made = (claims: object = {}, header: object = {}) => key.proof('POST', address, { ...claims }, { ...header });

  it('names its key, by every algorithm of an asymmetric key', async () => {
    for (const alg of ['ES256', 'ES384', 'ES512', 'Ed25519', 'EdDSA', 'RS256', 'PS512']) {
      const own = await provingKey(alg);
      const { thumbprint, jti, nonce } = await read(await own.proof('POST', address, { jti: alg, nonce: 'n' }));
      expect([thumbprint, jti, nonce], alg).to.deep.equal([own.thumbprint, alg, 'n']);
    }
  });

  it('is for one address, whatever its query, fragment, case of the host and default port', async () => {
    for (const htu of ['https://IDP.example:443/token?a=b#c', 'HTTPS://idp.example/token', `${address}#`]) {
      expect(await problemOf(made({ htu })), htu).to.equal('none');
    }
    for (const htu of [
      'https://idp.example/Token',
      'http://idp.example/token',
      'https://idp.example:8443/token',
      '/token',
      '',
      7,
    ]) {
      expect(await problemOf(made({ htu })), String(htu)).to.equal('its htu is not https://idp.example/token');
    }
    const addresses = ['http://test-idp:8000/token', address];
    expect(await problemOf(made(), { addresses })).to.equal('none');
  });

  it('is for one method, as it is written', async () => {
    for (const htm of ['post', 'GET', undefined, ['POST']]) {
      expect(await problemOf(made({ htm })), String(htm)).to.equal('its htm is not POST');
    }
  });

  it('is of now, by either clock', async () => {
    for (const off of [-300, 300])
      expect(await problemOf(made({ iat: seconds() + off }), { moments: [seconds()] })).to.equal('none');
    for (const iat of [seconds() - 302, seconds() + 302, String(seconds()), undefined]) {
      expect(await problemOf(made({ iat })), String(iat)).to.equal(
        'its iat is more than 300 seconds from the current time',
      );
    }
    const moments = [seconds() + 7200, seconds()];
    expect(await problemOf(made(), { moments })).to.equal('none');
    expect(await problemOf(made({ iat: seconds() + 7200 }), { moments })).to.equal('none');
    expect(await problemOf(made({ iat: seconds() + 3600 }), { moments })).to.match(/^its iat/);
  });

  it('has a jti that is a text', async () => {
    for (const jti of ['', undefined, 7]) expect(await problemOf(made({ jti })), String(jti)).to.equal('it has no jti');
  });

  it('goes with one access token, where one is shown', async () => {
    const accessToken = 'the.access.token';
    const wrong = 'its ath is not the SHA-256 of the access token';
    expect(await problemOf(made({ ath: accessTokenHash(accessToken) }), { accessToken })).to.equal('none');
    expect(await problemOf(made({ ath: accessTokenHash('another') }), { accessToken })).to.equal(wrong);
    expect(await problemOf(made(), { accessToken })).to.equal(wrong);
  });

  it('is one JWT of its type, signed by the public key of its header', async () => {
    const noKey = 'the jwk in its header is not a public key for its alg';
    const none = `${base64url.encode('{"typ":"dpop+jwt","alg":"none"}')}.${base64url.encode('{}')}.`;
    const whole = await made();
    const other = await provingKey();
    const symmetric = { kty: 'oct', k: 'c2VjcmV0' };
    const faults: readonly (readonly [proof: string, problem: RegExp | string])[] = [
      ['', 'it is not a single JWT'],
      [`${whole}, ${whole}`, 'it is not a single JWT'],
      [whole.slice(0, whole.lastIndexOf('.')), 'it is not a single JWT'],
      [await made({}, { typ: 'JWT' }), 'its typ is not dpop+jwt'],
      [await made({}, { typ: undefined }), 'its typ is not dpop+jwt'],
      [none, /^its alg is not one of ES256, /],
      [await made({}, { jwk: undefined }), noKey],
      [await made({}, { jwk: 'text' }), noKey],
      [await made({}, { jwk: symmetric }), noKey],
      [await made({}, { jwk: key.privateJwk }), noKey],
      [await made({}, { jwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' } }), noKey],
      [await made({}, { jwk: other.publicJwk }), 'the jwk in its header does not verify its signature'],
      [`${whole.slice(0, -4)}AAAA`, 'the jwk in its header does not verify its signature'],
    ];
    for (const [proof, problem] of faults) {
      const found = await problemOf(proof);
      if (typeof problem === 'string') expect(found, proof).to.equal(problem);
      else expect(found, proof).to.match(problem);
    }
  });
});
