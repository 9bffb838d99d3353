// The field `login_claims` of the persona page: claims of one login, and fields of the user entry that it replaces for
// that login (PCL-17, LIN-05).
import { claimsWith, type OwnClaims } from './claims.ts';
import { type User, userEntryModel } from './user-entry.ts';
import { filledText } from './value-kinds.ts';

const { roles, groups, entitlements, tenant, identity_class, email } = userEntryModel.shape;

/** Each with the type of the user entry, without its default. */
const userFields = {
  roles: roles.unwrap(),
  groups: groups.unwrap(),
  entitlements: entitlements.unwrap(),
  tenant: tenant.unwrap(),
  identity_class: identity_class.unwrap(),
  email: email.unwrap(),
};

export const loginClaimsModel = claimsWith({ ...userFields, acr: filledText() });

const userFieldNames = Object.keys(userFields);

/** The user as of one login: with the fields that were typed for it (LIN-06). */
export function userOfLogin({ user, login }: { readonly user: User; readonly login?: OwnClaims | undefined }): User {
  if (login === undefined) return user;
  const typed = userFieldNames.filter((name) => Object.hasOwn(login, name));
  if (typed.length === 0) return user;
  return { ...user, ...Object.fromEntries(typed.map((name) => [name, login[name]])) };
}

/** The `acr` that was typed for a login (LIN-06). */
export function acrOfLogin(login: OwnClaims | undefined): string | undefined {
  const acr = login?.acr;
  return typeof acr === 'string' ? acr : undefined;
}
