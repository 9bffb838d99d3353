// The source of a claim mapping or of a service provider's attribute (PCL-22, SPM-13). In settings.yaml it is a field
// of the user's entry, one claim or one attribute. The code in shared/engine/tokens/claims computes its value for a
// user.
import { text } from './value-kinds.ts';

const fieldSources = [
  ...['username', 'email', 'roles', 'groups', 'tenant', 'identity_class', 'entitlements', 'source_acl'],
  'authorities',
] as const;

export type ClaimSource =
  | 'username'
  | 'email'
  | 'roles'
  | 'groups'
  | 'tenant'
  | 'identity_class'
  | 'entitlements'
  | 'source_acl'
  | 'authorities'
  | `claims.${string}`
  | `attributes.${string}`;

const fields: ReadonlySet<string> = new Set(fieldSources);

export const claimSource = () =>
  text().refine(
    isClaimSource,
    `must be one of ${fieldSources.join(', ')}, or claims.<name> or attributes.<name>, such as claims.locale`,
  );

function isClaimSource(value: string): value is ClaimSource {
  return fields.has(value) || /^(claims|attributes)\../s.test(value);
}
