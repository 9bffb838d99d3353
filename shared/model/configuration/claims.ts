// `claims:` of a user, a client or one login: the standard claims of OIDC Core §5.1 with their types, and any other
// name that has no special meaning in a token or a user's entry (PCL-02 to PCL-04).
import * as z from 'zod';
import { isRefusedClaim, type StandardClaim } from '#shared/protocol/oidc/claim-names.ts';
import { problemOfBirthdate, problemOfHttpUrl } from './text-formats.ts';
import { freeValue, judged, mappingMessage, text } from './value-kinds.ts';

const truth = () => z.boolean('must be true or false');
const address = () => judged(problemOfHttpUrl);
const moment = 'must be a whole number: seconds since 1970-01-01T00:00:00Z';
const addressMembers = ['formatted', 'street_address', 'locality', 'region', 'postal_code', 'country'] as const;
const addressNames: ReadonlySet<string> = new Set(addressMembers);

const standardClaims = {
  name: text(),
  given_name: text(),
  family_name: text(),
  middle_name: text(),
  nickname: text(),
  preferred_username: text(),
  profile: address(),
  picture: address(),
  website: address(),
  email_verified: truth(),
  gender: text(),
  birthdate: judged(problemOfBirthdate),
  zoneinfo: text(),
  locale: text(),
  phone_number: text(),
  phone_number_verified: truth(),
  address: z
    .looseObject(Object.fromEntries(addressMembers.map((name) => [name, text().optional()])), mappingMessage)
    .superRefine((value, context) => {
      // Not reported as an unknown key, which files may ignore: an invalid address is rejected everywhere.
      const unknown = Object.keys(value).find((name) => !addressNames.has(name));
      if (unknown === undefined) return;
      const message = `is not a field of address. Known: ${addressMembers.join(', ')}`;
      context.addIssue({ code: 'custom', path: [unknown], message });
    }),
  updated_at: z.int(moment),
} satisfies Readonly<Record<StandardClaim, z.ZodType>>;

/**
 * Names to values. null, an empty string, list or mapping is stored as written, but counts as absent when claims are
 * issued.
 */
export type OwnClaims = Readonly<Record<string, unknown>>;

export const claimsModel = claimsWith({});

/** The claims of a client. Members of its entry that have the meaning of a claim are named (CLS-10). */
export const clientClaimsModel = claimsWith({}, { roles: 'roles', groups: 'groups' });

/**
 * The model of claims with further members, each of which is allowed although it is no claim of an entry. `beside`: the
 * members of the entry that set a claim, by its name.
 */
export function claimsWith(
  further: Readonly<Record<string, z.ZodType>>,
  beside: Readonly<Record<string, string>> = { email: 'email' },
) {
  return z
    .object({ ...standardClaims, ...further }, 'must be a mapping (in JSON an object) of claim names to values')
    .partial()
    .catchall(freeValue)
    .superRefine((claims, context) => {
      for (const name of Object.keys(claims)) {
        if (Object.hasOwn(further, name) || !isRefusedClaim(name)) continue;
        context.addIssue({ code: 'custom', path: [name], message: problemOfName(name, beside) });
      }
    })
    .transform((claims): OwnClaims => Object.assign(Object.create(null), claims));
}

function problemOfName(name: string, beside: Readonly<Record<string, string>>): string {
  if (name === '') return 'must have a name';
  return Object.hasOwn(beside, name)
    ? `must not be in claims. Write "${beside[name]}" beside "claims".`
    : 'must not be in claims. The server or a field of the entry sets it';
}
