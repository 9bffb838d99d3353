// The formats of one key, compared with the published example of RFC 7638 §3.1.
import { createPublicKey } from 'node:crypto';
import { expect } from 'chai';
import { publicJwk, thumbprintOf } from '#shared/state/keys/key-pair.ts';
import { verifies } from '#test/support/verifies.ts';

const example = {
  kty: 'RSA',
  n: '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw',
  e: 'AQAB',
};

describe('a signing key', () => {
  const publicKey = createPublicKey({ key: example, format: 'jwk' });

  verifies('KEY-03', 'has the thumbprint of RFC 7638', () => {
    expect(thumbprintOf(publicKey)).to.equal('NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs');
  });

  verifies('DIS-14', 'is published with its members in this order', () => {
    expect(JSON.stringify(publicJwk(publicKey, 'a-kid'))).to.equal(
      JSON.stringify({ kty: 'RSA', use: 'sig', kid: 'a-kid', alg: 'RS256', n: example.n, e: example.e }),
    );
  });
});
