// One row of `claim_mappings`: a claim that tokens and UserInfo contain under the name and in the form that an
// application expects (PCL-21 to PCL-25).
import * as z from 'zod';
import { isMappableClaim } from '#shared/protocol/oidc/claim-names.ts';
import { claimSource } from './claim-source.ts';
import { filledText, freeValue, oneOf, section, text } from './value-kinds.ts';

/** Where a claim can appear. */
export const claimPlaces = ['access_token', 'id_token', 'userinfo'] as const;
export type ClaimPlace = (typeof claimPlaces)[number];

const claimShapes = ['list', 'text', 'first', 'map', 'omit'] as const;

const claimMapping = section({
  /** A string is one literal name at the top level. A list is a path. */
  claim: z.union(
    [filledText(), z.array(filledText()).min(1)],
    'must be the name of a claim, or a list of names from the outermost to the innermost',
  ),
  from: claimSource().optional(),
  as: oneOf(claimShapes).default('list'),
  value: freeValue.optional(),
  separator: text().optional(),
  in: z
    .array(oneOf(claimPlaces))
    .min(1, `must name at least one of ${claimPlaces.join(', ')}`)
    .default([...claimPlaces]),
  clients: z.array(filledText(), 'must be a list of client ids').min(1, 'must name at least one client').optional(),
  scope: filledText().optional(),
}).superRefine((mapping, context) => {
  const problem = problemOf(mapping);
  if (problem !== undefined) context.addIssue({ code: 'custom', path: [problem.field], message: problem.message });
});

/**
 * Each row is compared with every previous one on the request thread, and a sandbox can have mappings of its own
 * (HDR-17).
 */
const claimMappingsMax = 1000;

export const claimMappings = z.array(claimMapping, 'must be a list of claim mappings').superRefine((all, context) => {
  if (all.length > claimMappingsMax) {
    context.addIssue({ code: 'custom', message: `must have at most ${claimMappingsMax} mappings` });
    return;
  }
  const places = all.map(placeOf);
  for (const [index, place] of places.entries()) {
    const earlier = places.findIndex((other, at) => at >= index || areAtOdds(place, other));
    if (earlier >= index) continue;
    const message = `is already set by claim_mappings[${earlier}] in the same place`;
    context.addIssue({ code: 'custom', path: [index, 'claim'], message });
  }
});

export type ClaimMapping = Readonly<z.output<typeof claimMapping>>;

/** The names that lead to a claim, outermost first. */
export function claimPath({ claim }: Pick<ClaimMapping, 'claim'>): readonly string[] {
  return typeof claim === 'string' ? [claim] : claim;
}

type Unchecked = Pick<ClaimMapping, 'claim' | 'from' | 'as' | 'value' | 'separator'>;

function problemOf(mapping: Unchecked): { readonly field: string; readonly message: string } | undefined {
  const [name = ''] = claimPath(mapping);
  if (!isMappableClaim(name)) return { field: 'claim', message: 'is a claim that only the server sets' };
  if (mapping.as === 'omit' && mapping.from !== undefined) {
    return { field: 'from', message: 'has no effect with as: omit, which omits the claim. Remove it' };
  }
  if (mapping.as !== 'omit' && mapping.from === undefined) return { field: 'from', message: 'is missing' };
  if (mapping.value !== undefined && mapping.as !== 'map')
    return { field: 'value', message: 'is allowed only with as: map' };
  if (mapping.separator !== undefined && mapping.as !== 'text') {
    return { field: 'separator', message: 'is allowed only with as: text' };
  }
  return undefined;
}

interface Placed {
  readonly path: readonly string[];
  readonly in: readonly ClaimPlace[];
  readonly clients: ReadonlySet<string> | undefined;
}

function placeOf(mapping: ClaimMapping): Placed {
  const { clients } = mapping;
  return { path: claimPath(mapping), in: mapping.in, clients: clients === undefined ? undefined : new Set(clients) };
}

/**
 * Whether both rows set the same claim, or one sets a claim inside the other's. Then only their order would decide
 * which takes effect (PCL-26).
 */
function areAtOdds(one: Placed, other: Placed): boolean {
  const [shorter, longer] = one.path.length <= other.path.length ? [one, other] : [other, one];
  if (shorter.path.some((name, index) => longer.path[index] !== name)) return false;
  if (!one.in.some((place) => other.in.includes(place))) return false;
  return one.clients === undefined || other.clients === undefined || haveCommon(one.clients, other.clients);
}

function haveCommon(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [fewer, more] = one.size <= other.size ? [one, other] : [other, one];
  for (const text of fewer) if (more.has(text)) return true;
  return false;
}
