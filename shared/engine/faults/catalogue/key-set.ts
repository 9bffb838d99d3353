// Faults in the key set (FLT-K110 to FLT-K118).
import * as z from 'zod';
import type { Document } from '#shared/engine/exchange/output-hooks.ts';
import { withHeaders } from '#shared/engine/exchange/reply.ts';
import { type FaultRow, type FaultSite, type FaultTransform, faultRow } from '../fault-row.ts';
import { publicJwkOf } from '../public-key-forms.ts';

type Keys = readonly Document[];

const common = { at: ['jwks'], phase: 'after' } as const;
const keySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())) });

export const keySetFaults: readonly FaultRow[] = [
  faultRow({
    ...common,
    id: 'FLT-K110',
    name: 'jwks_empty',
    effect: 'The key set has no keys.',
    client: 'reject',
    source: 'RFC 7517 §5',
    make: () => withKeys(() => []),
  }),
  faultRow({
    ...common,
    id: 'FLT-K111',
    name: 'jwks_published_late',
    effect: 'The key set lacks the active key but has the others.',
    client: 'recover',
    source: 'OIDC Core §10.1.1',
    make: () => withKeys((keys, { activeKey }) => keys.filter(({ kid }) => kid !== activeKey.kid)),
  }),
  faultRow({
    ...common,
    id: 'FLT-K112',
    name: 'jwks_published_early',
    effect: 'An additional key that has signed nothing comes first.',
    client: 'accept',
    source: 'OIDC Core §10.1.1',
    usesUnknownKey: true,
    make: () => withKeys((keys, { unknownKey }) => unknownKey && [publicJwkOf(unknownKey), ...keys]),
  }),
  faultRow({
    ...common,
    id: 'FLT-K113',
    name: 'jwks_same_kid_other_key',
    effect: 'The active kid belongs to a different public key.',
    client: 'reject',
    source: 'RFC 7517 §4.5',
    usesUnknownKey: true,
    make: () =>
      withKeys((keys, site) => {
        const other = underActiveKid(site);
        return other && keys.map((key) => (key.kid === site.activeKey.kid ? other : key));
      }),
  }),
  faultRow({
    ...common,
    id: 'FLT-K114',
    name: 'jwks_duplicate_kid',
    effect: 'A different public key with the active kid comes before the correct one.',
    client: 'either',
    source: 'RFC 7517 §4.5',
    usesUnknownKey: true,
    make: () =>
      withKeys((keys, site) => {
        const other = underActiveKid(site);
        return other && [other, ...keys];
      }),
  }),
  faultRow({
    ...common,
    id: 'FLT-K115',
    name: 'jwks_unknown_type_first',
    effect: 'A key with kty XYZ comes first.',
    client: 'accept',
    source: 'RFC 7517 §5',
    make: () => withKeys((keys) => [{ kty: 'XYZ', use: 'sig', kid: 'of-unknown-type' }, ...keys]),
  }),
  faultRow({
    ...common,
    id: 'FLT-K116',
    name: 'jwks_wrong_use',
    effect: 'Every key has use enc.',
    client: 'either',
    source: 'RFC 7517 §4.2',
    make: () => withKeys((keys) => keys.map((key) => ({ ...key, use: 'enc' }))),
  }),
  faultRow({
    ...common,
    id: 'FLT-K117',
    name: 'jwks_wrong_alg',
    effect: 'Every key has alg ES256.',
    client: 'either',
    source: 'RFC 7517 §4.4',
    make: () => withKeys((keys) => keys.map((key) => ({ ...key, alg: 'ES256' }))),
  }),
  faultRow({
    ...common,
    id: 'FLT-K118',
    name: 'jwks_cached_long',
    effect: 'The response has `Cache-Control: public, max-age=86400`.',
    client: 'accept',
    source: 'RFC 9111 §4.2.1',
    make: () => ({
      hookPoint: 'sending',
      change: (reply) =>
        reply.status < 400 ? withHeaders(reply, { 'Cache-Control': 'public, max-age=86400' }) : undefined,
    }),
  }),
];

function withKeys(change: (keys: Keys, site: FaultSite) => Keys | undefined): FaultTransform {
  return {
    hookPoint: 'document',
    change: (document, site) => {
      const keys = change(keySet.parse(document).keys, site);
      return keys && { ...document, keys };
    },
  };
}

function underActiveKid({ unknownKey, activeKey: { kid } }: FaultSite): Document | undefined {
  return unknownKey && publicJwkOf({ ...unknownKey, kid });
}
