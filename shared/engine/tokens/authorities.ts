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

/** A user, or a client with its own roles and groups (CLS-01). */
type Holder = Pick<User, 'roles' | 'groups'> &
  Partial<Pick<User, 'identity_class' | Exclude<Source, 'roles' | 'groups'> | 'attributes'>>;

/**
 * Roles, groups, identity class, entitlements, ACL entries, then the attributes with a prefix of their own, in the
 * order of the user's entry. A list attribute gives one authority for each element.
 */
export function authoritiesOf(holder: Holder, prefixes: Prefixes): readonly string[] {
  const authorities: string[] = [];
  for (const source of sources) {
    const prefix = Object.hasOwn(prefixes, source) ? (prefixes[source] ?? '') : defaultPrefixes[source];
    for (const name of namesOf(holder, source)) authorities.push(prefix + name);
  }
  for (const [attribute, value] of Object.entries(holder.attributes ?? {})) {
    if (sourceNames.has(attribute) || !Object.hasOwn(prefixes, attribute)) continue;
    for (const text of textsOf(value)) authorities.push((prefixes[attribute] ?? '') + text);
  }
  return authorities;
}

function namesOf(holder: Holder, source: Source): readonly string[] {
  switch (source) {
    case 'roles':
    case 'groups':
      return holder[source].map((name) => name.toUpperCase());
    case 'identity_class':
      return [holder.identity_class ?? ''].filter((name) => name !== '');
    default:
      return holder[source] ?? [];
  }
}

/** Strings, numbers and booleans. Values without a plain text give no authority. */
function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value === 'string') return value === '' ? [] : [value];
  return typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : [];
}
