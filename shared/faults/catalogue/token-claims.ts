// Faults in the claims of a token, which is signed validly all the same (FLT-K037 to FLT-K062).
import * as z from 'zod';
import { epochSeconds } from '#shared/clock.ts';
import { type FaultRow, faultRow } from '../fault-row.ts';

/** The parameter of every fault about a token. */
export const whichToken = {
  token: z.enum(['id_token', 'access_token']).default('id_token').describe('Which token of the answer.'),
};

export const usesOf = { id_token: 'id', access_token: 'access' } as const;

const hour = 3600;

export const tokenClaimFaults: readonly FaultRow[] = [
  faultRow({
    id: 'FLT-K037',
    name: 'token_expired',
    effect: 'The token ended an hour ago and was issued two hours ago.',
    at: ['token'],
    phase: 'after',
    client: 'reject',
    source: 'OIDC Core §3.1.3.7 (9)',
    parameters: whichToken,
    make: ({ token }) => ({
      seam: 'token',
      use: usesOf[token],
      change: ({ header, claims }, { now }) => {
        const issued = epochSeconds(now) - 2 * hour;
        const authenticated = claims.auth_time === undefined ? {} : { auth_time: issued };
        const times = { exp: issued + hour, iat: issued, nbf: issued, ...authenticated };
        return { header, claims: { ...claims, ...times } };
      },
    }),
  }),
];
