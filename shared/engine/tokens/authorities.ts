// The flat list of a user's authorities, as resource servers such as Spring Security read it (CLM-11, CLM-12).
import type { Settings } from '#shared/model/configuration/settings.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';

type Prefixes = Settings['authority_prefixes'];

const sources = ['roles', 'groups', 'identity_class', 'entitlements', 'source_acl'] as const;
type Source = (typeof sources)[number];

const defaultPrefixes: Readonly<Record<Source, string>> = {
  roles: 'ROLE_',
  groups: 'GROUP_',
  identity_class: 'IDENTITY_',
  entitlements: 'ENT_',
  source_acl: '',
};

const sourceNames: ReadonlySet<string> = new Set(sources);

/**
 * Roles, groups, identity class, entitlements, ACL entries, then the attributes with a prefix of their own, in the
 * order of the user's entry. A list attribute gives one authority for each element.
 */
export function authoritiesOf(user: User, prefixes: Prefixes): readonly string[] {
  const authorities: string[] = [];
  for (const source of sources) {
    const prefix = Object.hasOwn(prefixes, source) ? (prefixes[source] ?? '') : defaultPrefixes[source];
    for (const name of namesOf(user, source)) authorities.push(prefix + name);
  }
  for (const [attribute, value] of Object.entries(user.attributes)) {
    if (sourceNames.has(attribute) || !Object.hasOwn(prefixes, attribute)) continue;
    for (const text of textsOf(value)) authorities.push((prefixes[attribute] ?? '') + text);
  }
  return authorities;
}

function namesOf(user: User, source: Source): readonly string[] {
  switch (source) {
    case 'roles':
    case 'groups':
      return user[source].map((name) => name.toUpperCase());
    case 'identity_class':
      return user.identity_class === null || user.identity_class === '' ? [] : [user.identity_class];
    default:
      return user[source];
  }
}

/** Strings, numbers and booleans. Values without a plain text give no authority. */
function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value === 'string') return value === '' ? [] : [value];
  return typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : [];
}
