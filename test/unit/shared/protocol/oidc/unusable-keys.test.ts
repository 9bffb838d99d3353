import { expect } from 'chai';
import { createLocalJWKSet, exportJWK, generateKeyPair, type JWK, jwtVerify, SignJWT } from 'jose';
import { assertionAlgorithms } from '#shared/protocol/jose/signing-algorithms.ts';
import { problemOfKeySet } from '#shared/protocol/oidc/unusable-keys.ts';

type Algorithm = 'RS256' | 'ES256' | 'PS256' | 'ES384' | 'EdDSA';

async function pair(alg: Algorithm, options = {}) {
  const { publicKey, privateKey } = await generateKeyPair(alg, options);
  return { jwk: await exportJWK(publicKey), privateKey };
}

const problemOf = (...keys: object[]) => problemOfKeySet({ keys }, assertionAlgorithms);
const none = 'no key can verify a signature of RS256 or ES256: ';

describe('a key set of a client', () => {
  let rsa: JWK;
  let curve: JWK;
  before(async () => {
    [rsa, curve] = [(await pair('RS256')).jwk, (await pair('ES256')).jwk];
  });

  it('has no problem with one key that verifies', () => {
    const usable = [
      ...[rsa, { ...rsa, use: 'sig', alg: 'RS256' }, { ...rsa, key_ops: ['verify'] }],
      ...[curve, { ...curve, use: 'sig', alg: 'ES256', kid: 'k' }],
    ];
    for (const key of usable) {
      expect(problemOf(key)).to.equal(undefined);
      expect(problemOf({ ...rsa, use: 'enc' }, key)).to.equal(undefined);
    }
  });

  it('is no subject where it is no set, or signs by another algorithm', () => {
    for (const value of [undefined, null, 'x', {}, { keys: {} }]) {
      expect(problemOfKeySet(value, assertionAlgorithms)).to.equal(undefined);
    }
    expect(problemOfKeySet({ keys: [curve] }, ['RS256'])).to.equal(
      'no key can verify a signature of RS256: keys[0] has the type EC P-256',
    );
  });

  it('is told what is wrong with each of its keys', async () => {
    const short = { kty: 'RSA', e: 'AQAB', n: Buffer.alloc(128, 0xff).toString('base64url') };
    const { jwk: edwards } = await pair('EdDSA');
    const cases: [object, string][] = [
      [{ ...rsa, use: 'enc' }, 'keys[0] has use enc instead of sig'],
      [{ ...rsa, kid: 'a"b', use: 'enc' }, 'keys[0] (kid a?b) has use enc instead of sig'],
      [{ ...rsa, key_ops: ['encrypt'] }, 'keys[0] has key_ops without verify'],
      [{ ...rsa, alg: 'PS256' }, 'keys[0] is for PS256'],
      [{ ...rsa, alg: 'ES256' }, 'keys[0] has the type RSA'],
      [(await pair('ES384')).jwk, 'keys[0] has the type EC P-384'],
      [edwards, 'keys[0] has the type OKP Ed25519'],
      [{}, 'keys[0] has the type unknown'],
      [short, 'keys[0] is an RSA key of 1024 bits, but at least 2048 are required'],
      [{ kty: 'RSA' }, 'keys[0] cannot be read as a public key'],
      [{ ...curve, x: 'AAAA' }, 'keys[0] cannot be read as a public key'],
    ];
    for (const [key, problem] of cases) expect(problemOf(key)).to.equal(none + problem);
    expect(problemOf()).to.equal('it is empty, so no key can verify a signature of RS256 or ES256');
    const bad = { ...rsa, use: 'enc' };
    expect(problemOf(bad, bad, bad, bad, bad)).to.match(/keys\[2\] has use enc instead of sig, and 2 more$/);
  });

  it('has a problem exactly where the library that verifies finds no key', async () => {
    for (const alg of ['RS256', 'ES256'] as const) {
      const { jwk, privateKey } = await pair(alg);
      const jwt = await new SignJWT({}).setProtectedHeader({ alg }).sign(privateKey);
      const changes = [
        ...[
          {},
          { use: 'sig' },
          { use: 'enc' },
          { use: 1 },
          { use: null },
          { alg: null },
          { key_ops: null },
          { alg },
          { alg: 'PS256' },
          { alg: 1 },
        ],
        ...[{ key_ops: ['verify'] }, { key_ops: ['sign'] }, { key_ops: 'x' }, { kty: 'OKP' }, { crv: 'P-384' }],
      ];
      for (const change of changes) {
        const set = { keys: [Object.assign({}, jwk, change)] };
        const isVerified = await jwtVerify(jwt, createLocalJWKSet(set), { algorithms: [...assertionAlgorithms] }).then(
          () => true,
          () => false,
        );
        expect(problemOfKeySet(set, assertionAlgorithms) === undefined, JSON.stringify(change)).to.equal(isVerified);
      }
    }
  });
});
