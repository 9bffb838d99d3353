// Faults in the response of /userinfo (FLT-K119 to FLT-K124).
import { written } from '#shared/engine/exchange/output-hooks.ts';
import { unsignedToken, writeToken } from '#shared/engine/tokens/write-token.ts';
import { tokenChallenge } from '#shared/protocol/oauth2/authorization-header.ts';
import { type FaultRow, faultRow } from '../fault-row.ts';
import { replacingMembers, withoutMember } from '../json-changes.ts';

const common = { at: ['userinfo'], phase: 'after' } as const;

export const userinfoFaults: readonly FaultRow[] = [
  faultRow({
    ...common,
    id: 'FLT-K119',
    name: 'userinfo_subject_mismatch',
    effect: 'sub has -other appended.',
    client: 'reject',
    source: 'OIDC Core §5.3.2',
    make: () => ({
      hookPoint: 'document',
      change: (document) => replacingMembers({ sub: `${String(document.sub)}-other` })(document),
    }),
  }),
  faultRow({
    ...common,
    id: 'FLT-K120',
    name: 'userinfo_subject_missing',
    effect: 'The response has no sub.',
    client: 'reject',
    source: 'OIDC Core §5.3.2',
    make: () => ({ hookPoint: 'document', change: withoutMember('sub') }),
  }),
  faultRow({
    ...common,
    id: 'FLT-K121',
    name: 'userinfo_claims_missing',
    effect: 'The response has only sub.',
    client: 'either',
    source: 'OIDC Core §5.3.2',
    make: () => ({
      hookPoint: 'document',
      change: ({ sub, ...others }) => (Object.keys(others).length === 0 ? undefined : { sub }),
    }),
  }),
  faultRow({
    ...common,
    id: 'FLT-K122',
    name: 'userinfo_odd_types',
    effect: 'email is a number, roles an object and tenant null.',
    client: 'either',
    source: 'OIDC Core §5.1',
    make: () => ({
      hookPoint: 'document',
      change: (document) => ({ ...document, email: 4711, roles: {}, tenant: null }),
    }),
  }),
  faultRow({
    ...common,
    id: 'FLT-K123',
    name: 'userinfo_signed',
    effect: 'The response is a JWT signed by the active key, although the client did not request one.',
    client: 'either',
    source: 'OIDC Core §5.3.2',
    make: () => ({
      hookPoint: 'document',
      async change(document, { activeKey, issuer, facts, mediaType }) {
        // The client registered for a signed response, so this is not a fault.
        if (mediaType === 'application/jwt') return undefined;
        const audience = facts.client_id === undefined ? {} : { aud: facts.client_id };
        const token = unsignedToken('id', { ...document, iss: issuer, ...audience }, activeKey);
        return written('application/jwt', await writeToken(token, activeKey));
      },
    }),
  }),
  faultRow({
    at: ['userinfo'],
    phase: 'before',
    id: 'FLT-K124',
    name: 'userinfo_unauthorized',
    effect: 'The response for a valid token is 401 invalid_token with its challenge.',
    client: 'recover',
    source: 'RFC 6750 §3.1',
    make: () => ({
      hookPoint: 'refusal',
      error: 'invalid_token',
      description: 'This error was requested for a test.',
      form: ({ facts }) => ({
        status: 401,
        headers: { 'WWW-Authenticate': tokenChallenge('invalid_token', facts.scheme) },
      }),
      meets: ({ presentsLiveToken }) => presentsLiveToken === true,
    }),
  }),
];
