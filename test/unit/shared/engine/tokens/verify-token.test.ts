// Which presented tokens are valid. An independent implementation (jose) creates them.
import { createHmac, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { SignJWT } from 'jose';
import { instant } from '#shared/base/clock.ts';
import { decodeToken, tokenFamilyOf, verifyToken } from '#shared/engine/tokens/verify-token.ts';
import type { VerificationKey } from '#shared/state/keys/key-ring.ts';
import { type KeysRoot, newKeysRoot, openTestKeys } from '#test/support/test-keys.ts';
import { verifies } from '#test/support/verifies.ts';

const now = instant(1_800_000_000_000);
const seconds = 1_800_000_000;

describe('verifying a token', () => {
  let keysRoot: KeysRoot;
  before(() => {
    keysRoot = newKeysRoot();
  });
  after(() => keysRoot.remove());

  function jws(key: KeyObject, header: object, claims: object): Promise<string> {
    return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'RS256', ...header }).sign(key);
  }

  function handmade(header: object, claims: object, signature: string): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    return `${part(header)}.${part(claims)}.${signature}`;
  }

  verifies(
    ['CLM-04', 'CLM-05', 'KEY-08'],
    'uses the key of its kid, also a previous one, or the active key without kid',
    async () => {
      const keys = await openTestKeys(keysRoot, { keys_dir: '../kid', max_previous_keys: 1 });
      const [dropped, kept] = [await keys.signingKey(), (await keys.rotate()) && (await keys.signingKey())];
      await keys.rotate();
      const active = await keys.signingKey();
      const claims = { exp: seconds + 60 };
      const valid = async (token: string) => (await verifyToken(token, { keys, now })) !== undefined;
      expect(await valid(await jws(active.privateKey, { kid: active.kid }, claims))).to.equal(true);
      expect(await valid(await jws(kept.privateKey, { kid: kept.kid }, claims))).to.equal(true);
      expect(await valid(await jws(active.privateKey, {}, claims))).to.equal(true);
      expect(await valid(await jws(kept.privateKey, {}, claims))).to.equal(false);
      expect(await valid(await jws(dropped.privateKey, { kid: dropped.kid }, claims))).to.equal(false);
      expect(await valid(await jws(active.privateKey, { kid: 'nobody' }, claims))).to.equal(false);
      expect(await valid(await jws(active.privateKey, { kid: kept.kid }, claims))).to.equal(false);
    },
  );

  it('verifies the signature of a token once, and repeats all other checks', async () => {
    const keys = await openTestKeys(keysRoot, { keys_dir: '../again', max_previous_keys: 0 });
    const { privateKey, kid } = await keys.signingKey();
    const token = await jws(privateKey, { kid }, { sub: 'alice', exp: seconds + 60 });
    let verifications = 0;
    const counted = {
      verificationKey: async (requestedKid: string | undefined) => {
        const key = await keys.verificationKey(requestedKid);
        if (key === undefined) return undefined;
        const { algorithm } = key;
        const verify: typeof algorithm.verify = (...of) => {
          verifications += 1;
          return algorithm.verify(...of);
        };
        known ??= { ...key, algorithm: { ...algorithm, verify } };
        return known;
      },
    };
    let known: VerificationKey | undefined;
    const presented = (at = now) => verifyToken(token, { keys: counted, now: at });
    const first = await presented();
    expect(await presented()).to.deep.equal(first);
    expect(verifications).to.equal(1);
    expect(await presented(instant((seconds + 60) * 1000))).to.equal(undefined);
    expect(
      await verifyToken(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`, { keys: counted, now }),
    ).to.equal(undefined);
    await keys.rotate();
    expect(await presented()).to.equal(undefined);
    expect(verifications).to.be.at.most(2);
  });

  it('does not let callers change a cached token', async () => {
    const keys = await openTestKeys(keysRoot, { keys_dir: '../kept' });
    const { privateKey, kid } = await keys.signingKey();
    const token = await jws(privateKey, { kid }, { sub: 'alice', exp: seconds + 60 });
    const claims = (await verifyToken(token, { keys, now }))?.claims;
    expect(Object.isFrozen(claims)).to.equal(true);
  });

  verifies('CLM-07', 'rejects every other algorithm, and a token without exp', async () => {
    const keys = await openTestKeys(keysRoot);
    const { privateKey, publicKey, kid } = await keys.signingKey();
    const claims = { sub: 'alice', exp: seconds + 60 };
    const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const unsigned = handmade({ alg: 'HS256', kid }, claims, '').slice(0, -1);
    const hmac = createHmac('sha256', publicPem).update(unsigned).digest('base64url');
    const rs512 = await new SignJWT(claims).setProtectedHeader({ alg: 'RS512', kid }).sign(privateKey);
    const ps256 = await new SignJWT(claims).setProtectedHeader({ alg: 'PS256', kid }).sign(privateKey);
    const whole = await jws(privateKey, { kid }, claims);
    const refused = {
      none: handmade({ alg: 'none', kid }, claims, ''),
      'none with a signature': handmade({ alg: 'none', kid }, claims, 'AAAA'),
      HS256: `${unsigned}.${hmac}`,
      RS512: rs512,
      PS256: ps256,
      'without exp': await jws(privateKey, { kid }, { sub: 'alice' }),
      'exp as text': await jws(privateKey, { kid }, { exp: `${seconds + 60}` }),
      'a critical extension': handmade({ alg: 'RS256', kid, crit: ['b64'] }, claims, whole.split('.')[2] ?? ''),
      'another signature': `${whole.slice(0, -6)}AAAAAA`,
      'other claims': whole.replace(
        /\.[^.]+\./,
        `.${Buffer.from(JSON.stringify({ exp: seconds + 9 })).toString('base64url')}.`,
      ),
      'characters outside base64url': `${whole}=`,
      'four parts': `${whole}.AAAA`,
      'a foreign key': await jws(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, { kid }, claims),
      'a kid that is no text': handmade({ alg: 'RS256', kid: 7 }, claims, whole.split('.')[2] ?? ''),
    };
    for (const [what, token] of Object.entries(refused)) {
      expect(await verifyToken(token, { keys, now }), what).to.equal(undefined);
    }
    expect((await verifyToken(whole, { keys, now }))?.claims.sub).to.equal('alice');
  });

  verifies('UIN-04', 'rejects a token with any other last character', async () => {
    const keys = await openTestKeys(keysRoot);
    const { privateKey, kid } = await keys.signingKey();
    const token = await jws(privateKey, { kid }, { exp: seconds + 60 });
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const accepted: string[] = [];
    for (const last of alphabet) {
      const changed = token.slice(0, -1) + last;
      if ((await verifyToken(changed, { keys, now })) !== undefined) accepted.push(last);
    }
    expect(accepted).to.deep.equal([token.at(-1)]);
  });

  it('distinguishes expired from valid tokens to the second', async () => {
    const keys = await openTestKeys(keysRoot);
    const { privateKey, kid } = await keys.signingKey();
    const token = await jws(privateKey, { kid }, { exp: seconds });
    expect(await verifyToken(token, { keys, now: instant(now - 1) })).not.to.equal(undefined);
    expect(await verifyToken(token, { keys, now })).to.equal(undefined);
    expect((await verifyToken(token, { keys, now, acceptExpired: true }))?.expiresAt).to.equal(now);
  });

  verifies('CLM-08', 'does not compare the issuer', async () => {
    const keys = await openTestKeys(keysRoot);
    const { privateKey, kid } = await keys.signingKey();
    const token = await jws(privateKey, { kid }, { iss: 'https://elsewhere.example', exp: seconds + 1 });
    expect((await verifyToken(token, { keys, now }))?.claims.iss).to.equal('https://elsewhere.example');
  });

  it('treats claims as plain data, with any names', async () => {
    const keys = await openTestKeys(keysRoot);
    const { privateKey, kid } = await keys.signingKey();
    const claims = JSON.parse(`{"exp": ${seconds + 1}, "__proto__": {"sub": "mallory"}, "constructor": 1}`);
    const body = Buffer.from(JSON.stringify({ exp: seconds + 1 }).replace('{', '{"__proto__":{"sub":"mallory"},'));
    const { CompactSign } = await import('jose');
    const token = await new CompactSign(body).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey);
    const verified = await verifyToken(token, { keys, now });
    expect(claims).to.have.property('exp');
    expect(verified?.claims.sub).to.equal(undefined);
    expect(Object.getPrototypeOf(verified?.claims)).to.equal(null);
    expect(Object.keys(verified?.claims ?? {})).to.deep.equal(['__proto__', 'exp']);
  });

  it('never throws for hostile input, and never accepts it', async () => {
    const keys = await openTestKeys(keysRoot);
    const seed = randomBytes(4).readInt32BE();
    const part = fc.oneof(
      fc.string(),
      fc.json().map((text) => Buffer.from(text).toString('base64url')),
      fc.constant(Buffer.from('{"alg":"RS256"}').toString('base64url')),
    );
    const property = fc.asyncProperty(fc.array(part, { maxLength: 5 }), async (parts) => {
      expect(await verifyToken(parts.join('.'), { keys, now })).to.equal(undefined);
      decodeToken(parts.join('.'));
    });
    await fc.assert(property, { seed, numRuns: 300 });
  });

  it('finds the family of access and refresh tokens', () => {
    expect(tokenFamilyOf({ jti: 'family.random' })).to.equal('family');
    expect(tokenFamilyOf({ jti: 'random', rt_family: 'family' })).to.equal('family');
    expect(tokenFamilyOf({ jti: 'random' })).to.equal(undefined);
    expect(tokenFamilyOf({ jti: '.random' })).to.equal(undefined);
    expect(tokenFamilyOf({})).to.equal(undefined);
  });
});
