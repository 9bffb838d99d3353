// Faults in the form, header and signature of a token (FLT-K063 to FLT-K082).

import { constants, createHmac, sign } from 'node:crypto';
import * as z from 'zod';
import type { Document } from '#shared/engine/exchange/output-hooks.ts';
import { certificateBase64 } from '#shared/protocol/saml/certificate-base64.ts';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import { type AlteredToken, type DraftToken, type FaultRow, type FaultSite, faultRow } from '../fault-row.ts';
import { withoutMember } from '../json-changes.ts';
import { publicJwkOf } from '../public-key-forms.ts';
import { atToken, tokenArgument, tokenFault, usesOf } from './about-token.ts';

const none = () => Buffer.alloc(0);

export const tokenSignatureFaults: readonly FaultRow[] = [
  tokenFault(
    {
      id: 'FLT-K063',
      name: 'token_not_jwt',
      effect: 'The token is the string not-a-jwt.',
      client: 'reject',
      source: 'RFC 7519 §7.2',
    },
    (token) => ({ ...token, written: () => 'not-a-jwt' }),
  ),
  tokenFault(
    {
      id: 'FLT-K064',
      name: 'alg_none',
      effect: 'alg is none, and the signature is empty.',
      client: 'reject',
      source: 'RFC 8725 §2.1, §3.1',
    },
    (token) => ({ ...withHeader(token, { alg: 'none' }), signature: none }),
  ),
  tokenFault(
    {
      id: 'FLT-K065',
      name: 'alg_none_mixed_case',
      effect: 'alg is nOnE, and the signature is empty.',
      client: 'reject',
      source: 'RFC 8725 §3.1',
    },
    (token) => ({ ...withHeader(token, { alg: 'nOnE' }), signature: none }),
  ),
  tokenFault(
    {
      id: 'FLT-K066',
      name: 'alg_hs256_public_key',
      effect: 'alg is HS256, keyed with the PEM of the active public key.',
      client: 'reject',
      source: 'RFC 8725 §2.1, CVE-2015-9235, CVE-2016-10555',
    },
    (token, { activeKey }) => hs256(token, {}, activeKey.publicKey.export({ type: 'spki', format: 'pem' }).toString()),
  ),
  tokenFault(
    {
      id: 'FLT-K067',
      name: 'alg_hs256_client_secret',
      effect: 'alg is HS256, keyed with the client secret.',
      client: 'reject',
      source: 'OIDC Core §3.1.3.7 (7)',
    },
    (token, { facts }) => (facts.client_secret === undefined ? undefined : hs256(token, {}, facts.client_secret)),
  ),
  tokenFault(
    {
      id: 'FLT-K068',
      name: 'alg_other_rsa',
      effect: 'alg is PS256, signed by the active key.',
      client: 'reject',
      source: 'OIDC Core §3.1.3.7 (7)',
    },
    (token, { activeKey: { privateKey: key } }) => ({
      ...withHeader(token, { alg: 'PS256' }),
      // RFC 7518 §3.5: the salt is as long as the hash.
      signature: (input) => sign('sha256', input, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
    }),
  ),
  tokenFault(
    {
      id: 'FLT-K069',
      name: 'signature_missing',
      effect: 'alg is RS256, and the signature is empty.',
      client: 'reject',
      source: 'RFC 7515 §5.2',
    },
    (token) => ({ ...token, signature: none }),
  ),
  tokenFault(
    {
      id: 'FLT-K070',
      name: 'signature_tampered',
      effect: 'One bit of the signature is flipped.',
      client: 'reject',
      source: 'RFC 7515 §5.2',
    },
    (token, { activeKey }) => ({
      ...token,
      signature: async (input) => {
        const signature = await signedBy(activeKey)(input);
        // Not the last byte, because Base64 may not encode all of its bits.
        signature.writeUInt8(signature.readUInt8(0) ^ 1, 0);
        return signature;
      },
    }),
  ),
  tokenFault(
    {
      id: 'FLT-K071',
      name: 'payload_tampered',
      effect: 'sub has -other appended after signing.',
      client: 'reject',
      source: 'RFC 7515 §5.2',
    },
    ({ header, claims }) => {
      const { sub } = claims;
      if (typeof sub !== 'string') return undefined;
      const tampered = Buffer.from(JSON.stringify({ ...claims, sub: `${sub}-other` })).toString('base64url');
      return {
        header,
        claims,
        written: (compact) => {
          const [protectedHeader, , signature] = compact.split('.');
          return [protectedHeader, tampered, signature].join('.');
        },
      };
    },
  ),
  tokenFault(
    {
      id: 'FLT-K072',
      name: 'key_unknown',
      effect: "The token is signed by a key outside the key set, under that key's own kid.",
      client: 'reject',
      source: 'OIDC Core §10.1',
      usesUnknownKey: true,
    },
    (token, site) => signedByUnknown(token, site, ({ kid }) => ({ kid })),
  ),
  tokenFault(
    {
      id: 'FLT-K073',
      name: 'key_unknown_same_kid',
      effect: 'The token is signed by a key outside the key set under the active kid.',
      client: 'reject',
      source: 'RFC 7515 §5.2',
      usesUnknownKey: true,
    },
    (token, site) => signedByUnknown(token, site, () => ({})),
  ),
  tokenFault(
    {
      id: 'FLT-K074',
      name: 'kid_missing',
      effect: 'The token has no kid. Its signature is correct.',
      client: 'either',
      source: 'OIDC Core §10.1',
    },
    ({ header, claims }) => {
      const bare = withoutMember('kid')(header);
      return bare && { header: bare, claims };
    },
  ),
  tokenFault(
    {
      id: 'FLT-K075',
      name: 'kid_wrong',
      effect: 'The kid is not in the key set. The signature is correct.',
      client: 'either',
      source: 'RFC 7515 §4.1.4',
    },
    (token, { random }) => withHeader(token, { kid: `no-such-key-${random.token(8)}` }),
  ),
  faultRow({
    ...atToken,
    id: 'FLT-K076',
    name: 'kid_hostile',
    effect: 'The kid is `value`, and the token is signed with HS256 and an empty key.',
    client: 'reject',
    source: 'RFC 8725 §3.10',
    parameters: {
      ...tokenArgument,
      value: z.string().min(1).max(1000).default('../../../../dev/null').describe('The kid.'),
    },
    make: ({ token: which, value }) => ({
      hookPoint: 'token',
      use: usesOf[which],
      change: (token) => hs256(token, { kid: value }, ''),
    }),
  }),
  tokenFault(
    {
      id: 'FLT-K077',
      name: 'token_header_jwk',
      effect: 'jwk in the header is the unknown key that signed the token.',
      client: 'reject',
      source: 'RFC 8725 §3.10, CVE-2018-0114',
      usesUnknownKey: true,
    },
    (token, site) => signedByUnknown(token, site, (key) => ({ kid: key.kid, jwk: publicJwkOf(key) })),
  ),
  tokenFault(
    {
      id: 'FLT-K078',
      name: 'token_header_jku',
      effect: 'jku in the header names an address with the unknown key that signed the token.',
      client: 'reject',
      source: 'RFC 8725 §3.10',
      usesUnknownKey: true,
      material: (key) => ({
        mediaType: 'application/jwk-set+json',
        text: JSON.stringify({ keys: key === undefined ? [] : [publicJwkOf(key)] }),
      }),
    },
    (token, site) => signedByUnknown(token, site, ({ kid }) => ({ kid, jku: site.materialUrl })),
  ),
  tokenFault(
    {
      id: 'FLT-K079',
      name: 'token_header_x5u',
      effect: 'x5u in the header names an address with a certificate of the unknown key that signed the token.',
      client: 'reject',
      source: 'RFC 8725 §3.10',
      usesUnknownKey: true,
      material: (key) => ({ mediaType: 'application/pem-certificate-chain', text: key?.certificatePem ?? '' }),
    },
    (token, site) => signedByUnknown(token, site, ({ kid }) => ({ kid, x5u: site.materialUrl })),
  ),
  tokenFault(
    {
      id: 'FLT-K080',
      name: 'token_header_x5c',
      effect: 'x5c in the header is a self-signed certificate of the unknown key that signed the token.',
      client: 'reject',
      source: 'RFC 7515 §4.1.6',
      usesUnknownKey: true,
    },
    (token, site) =>
      signedByUnknown(token, site, ({ kid, certificatePem }) => ({ kid, x5c: [certificateBase64(certificatePem)] })),
  ),
  tokenFault(
    {
      id: 'FLT-K081',
      name: 'token_header_crit',
      effect: 'crit names x-unknown, which the header has. The signature is correct.',
      client: 'reject',
      source: 'RFC 7515 §4.1.11',
    },
    (token) => withHeader(token, { crit: ['x-unknown'], 'x-unknown': true }),
  ),
  tokenFault(
    {
      id: 'FLT-K082',
      name: 'token_header_typ',
      effect: 'typ is logout+jwt.',
      client: 'either',
      source: 'RFC 8725 §3.11',
    },
    (token) => withHeader(token, { typ: 'logout+jwt' }),
  ),
];

function withHeader({ header, claims }: DraftToken, members: Document): AlteredToken {
  return { header: { ...header, ...members }, claims };
}

function hs256(token: DraftToken, members: Document, secret: string): AlteredToken {
  return {
    ...withHeader(token, { ...members, alg: 'HS256' }),
    signature: (input) => createHmac('sha256', secret).update(input).digest(),
  };
}

function signedByUnknown(
  token: DraftToken,
  { unknownKey }: FaultSite,
  membersFor: (key: SigningKey) => Document,
): AlteredToken | undefined {
  if (unknownKey === undefined) return undefined;
  return { ...withHeader(token, membersFor(unknownKey)), signature: signedBy(unknownKey) };
}

function signedBy({ algorithm, privateKey }: SigningKey) {
  return (input: Buffer): Promise<Buffer> => algorithm.sign(input, privateKey);
}
