// Shared by the rows about one token of a response: the parameter that selects it, and the hook point.
import * as z from 'zod';
import type { Document } from '#shared/engine/exchange/output-hooks.ts';
import {
  type AlteredToken,
  type CorrectClient,
  type DraftToken,
  type FaultRow,
  type FaultSite,
  faultRow,
} from '../fault-row.ts';

/** The parameter of every fault about a token, except faults of ID tokens alone. */
export const tokenArgument = {
  token: z.enum(['id_token', 'access_token']).default('id_token').describe('Which token of the response.'),
};

export const usesOf = { id_token: 'id', access_token: 'access' } as const;

interface Described {
  readonly id: string;
  readonly name: string;
  readonly effect: string;
  readonly client: CorrectClient;
  readonly source: string;
}

type ChangeOf<Value, Changed> = (value: Value, site: FaultSite) => Changed | undefined;

export const atToken = { at: ['token'], phase: 'after' } as const;

/** A row that changes the selected token; the change returns undefined where the token lacks the part. */
export function tokenFault(
  described: Described & { readonly usesUnknownKey?: true; readonly material?: FaultRow['material'] },
  change: ChangeOf<DraftToken, AlteredToken>,
): FaultRow {
  const { material, ...others } = described;
  return faultRow({
    ...others,
    ...atToken,
    ...(material === undefined ? {} : { material }),
    parameters: tokenArgument,
    make: ({ token }) => ({ hookPoint: 'token', use: usesOf[token], change }),
  });
}

/** The same for claims alone. */
export function claimsFault(described: Described, change: ChangeOf<Document, Document>): FaultRow {
  return tokenFault(described, inClaims(change));
}

/** For claims that only ID tokens have. */
export function idTokenClaimsFault(described: Described, change: ChangeOf<Document, Document>): FaultRow {
  return faultRow({
    ...described,
    ...atToken,
    make: () => ({ hookPoint: 'token', use: 'id', change: inClaims(change) }),
  });
}

export function inClaims(change: ChangeOf<Document, Document>): ChangeOf<DraftToken, AlteredToken> {
  return ({ header, claims }, site) => {
    const changed = change(claims, site);
    return changed && { header, claims: changed };
  };
}
