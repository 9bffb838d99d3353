// Faults in the discovery document (FLT-K104 to FLT-K109).

import * as z from 'zod';
import { withOtherSlash } from '#shared/protocol/oidc/issuer-address.ts';
import { type FaultRow, faultRow } from '../fault-row.ts';
import { replacingMembers, withoutMember } from '../json-changes.ts';

const attacker = 'https://attacker.example';
const common = { at: ['discovery'], phase: 'after' } as const;

export const discoveryFaults: readonly FaultRow[] = [
  faultRow({
    ...common,
    id: 'FLT-K104',
    name: 'discovery_issuer_mismatch',
    effect: 'The document names the issuer https://attacker.example.',
    client: 'reject',
    source: 'OIDC Discovery §4.3, RFC 8414 §3.3',
    make: () => ({ hookPoint: 'document', change: replacingMembers({ issuer: attacker }) }),
  }),
  faultRow({
    ...common,
    id: 'FLT-K105',
    name: 'discovery_issuer_slash',
    effect: 'The issuer has a slash appended, or lacks its slash.',
    client: 'reject',
    source: 'OIDC Discovery §4.3',
    make: () => ({
      hookPoint: 'document',
      change: (document) => replacingMembers({ issuer: withOtherSlash(String(document.issuer)) })(document),
    }),
  }),
  faultRow({
    ...common,
    id: 'FLT-K106',
    name: 'discovery_member_missing',
    effect: 'The document lacks `member`.',
    client: 'reject',
    source: 'OIDC Discovery §3',
    parameters: {
      member: z
        .string()
        .regex(/^[a-z0-9_]{1,100}$/)
        .default('jwks_uri')
        .describe('The missing member.'),
    },
    make: ({ member }) => ({ hookPoint: 'document', change: withoutMember(member) }),
  }),
  faultRow({
    ...common,
    id: 'FLT-K107',
    name: 'discovery_foreign_endpoints',
    effect: 'The token, userinfo and JWKS addresses are at https://attacker.example.',
    client: 'either',
    source: 'RFC 9700 §4.4',
    make: () => ({
      hookPoint: 'document',
      change: replacingMembers({
        token_endpoint: `${attacker}/token`,
        userinfo_endpoint: `${attacker}/userinfo`,
        jwks_uri: `${attacker}/.well-known/jwks.json`,
      }),
    }),
  }),
  faultRow({
    ...common,
    id: 'FLT-K108',
    name: 'discovery_no_pkce',
    effect: 'The document lacks code_challenge_methods_supported.',
    client: 'either',
    source: 'RFC 8414 §2, MCP authorization',
    make: () => ({ hookPoint: 'document', change: withoutMember('code_challenge_methods_supported') }),
  }),
  faultRow({
    ...common,
    id: 'FLT-K109',
    name: 'discovery_lists_none',
    effect: 'The signature algorithms of ID tokens include none.',
    client: 'either',
    source: 'RFC 8725 §3.1',
    make: () => ({
      hookPoint: 'document',
      change: (document) => {
        const { id_token_signing_alg_values_supported: listed } = document;
        return Array.isArray(listed)
          ? { ...document, id_token_signing_alg_values_supported: [...listed, 'none'] }
          : undefined;
      },
    }),
  }),
];
