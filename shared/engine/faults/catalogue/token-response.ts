// Faults in the members of the token response (FLT-K083 to FLT-K096).
import type { Document } from '#shared/engine/exchange/output-hooks.ts';
import { type CorrectClient, type FaultRow, faultRow } from '../fault-row.ts';
import { replacingMembers, withoutMember } from '../json-changes.ts';
import { atToken } from './about-token.ts';

export const tokenResponseFaults: readonly FaultRow[] = [
  responseFault(
    {
      id: 'FLT-K083',
      name: 'id_token_missing',
      effect: 'The response has no id_token, although openid was granted.',
      client: 'reject',
      source: 'OIDC Core §3.1.3.3',
    },
    withoutMember('id_token'),
  ),
  responseFault(
    {
      id: 'FLT-K084',
      name: 'id_token_swapped',
      effect: 'id_token contains the access token.',
      client: 'reject',
      source: 'RFC 8725 §3.12',
    },
    (answer) => replacingMembers({ id_token: answer.access_token })(answer),
  ),
  responseFault(
    {
      id: 'FLT-K085',
      name: 'access_token_missing',
      effect: 'The response has no access_token.',
      client: 'reject',
      source: 'RFC 6749 §5.1',
    },
    withoutMember('access_token'),
  ),
  responseFault(
    {
      id: 'FLT-K086',
      name: 'token_type_case',
      effect: 'token_type is bEARER, or dPOP if the token is bound to a key.',
      client: 'accept',
      source: 'RFC 6749 §5.1',
    },
    (answer) => replacingMembers({ token_type: answer.token_type === 'DPoP' ? 'dPOP' : 'bEARER' })(answer),
  ),
  responseFault(
    {
      id: 'FLT-K087',
      name: 'token_type_missing',
      effect: 'The response has no token_type.',
      client: 'reject',
      source: 'RFC 6749 §5.1',
    },
    withoutMember('token_type'),
  ),
  responseFault(
    {
      id: 'FLT-K088',
      name: 'token_type_unknown',
      effect: 'token_type is mac.',
      client: 'reject',
      source: 'RFC 6749 §7.1',
    },
    replacingMembers({ token_type: 'mac' }),
  ),
  responseFault(
    {
      id: 'FLT-K089',
      name: 'expires_in_missing',
      effect: 'The response has no expires_in.',
      client: 'accept',
      source: 'RFC 6749 §5.1',
    },
    withoutMember('expires_in'),
  ),
  responseFault(
    {
      id: 'FLT-K090',
      name: 'expires_in_text',
      effect: 'expires_in is a string.',
      client: 'either',
      source: 'RFC 6749 §5.1',
    },
    (answer) => replacingMembers({ expires_in: String(answer.expires_in) })(answer),
  ),
  responseFault(
    {
      id: 'FLT-K091',
      name: 'expires_in_negative',
      effect: 'expires_in is -1.',
      client: 'either',
      source: 'RFC 6749 §5.1',
    },
    replacingMembers({ expires_in: -1 }),
  ),
  responseFault(
    {
      id: 'FLT-K092',
      name: 'expires_in_zero',
      effect: 'expires_in is 0.',
      client: 'either',
      source: 'RFC 6749 §5.1',
    },
    replacingMembers({ expires_in: 0 }),
  ),
  faultRow({
    ...atToken,
    id: 'FLT-K093',
    name: 'scope_reduced',
    effect: 'The last requested scope other than openid is not granted. Tokens and scope show that.',
    client: 'either',
    source: 'RFC 6749 §3.3',
    make: () => ({
      hookPoint: 'granted_scope',
      // At least one other scope has to remain.
      left: (scope) => (scope.length < 2 ? undefined : scope.findLast((name) => name !== 'openid')),
    }),
  }),
  responseFault(
    {
      id: 'FLT-K094',
      name: 'scope_missing',
      effect: 'The response has no scope.',
      client: 'either',
      source: 'RFC 6749 §5.1',
    },
    withoutMember('scope'),
  ),
  responseFault(
    {
      id: 'FLT-K095',
      name: 'token_extra_members',
      effect: 'The response has unknown members.',
      client: 'accept',
      source: 'RFC 6749 §5.1',
    },
    (answer) => ({ ...answer, x_unknown: 'of-no-meaning', x_nested: { of: ['no', 'meaning'] } }),
  ),
  responseFault(
    {
      id: 'FLT-K096',
      name: 'refresh_token_missing',
      effect: 'The response has no refresh_token.',
      client: 'either',
      source: 'RFC 6749 §5.1',
    },
    withoutMember('refresh_token'),
  ),
];

function responseFault(
  described: {
    readonly id: string;
    readonly name: string;
    readonly effect: string;
    readonly client: CorrectClient;
    readonly source: string;
  },
  change: (answer: Document) => Document | undefined,
): FaultRow {
  return faultRow({ ...described, ...atToken, make: () => ({ hookPoint: 'token_response', change }) });
}
