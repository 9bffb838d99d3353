// What a user has at a source that a configuration names (PCL-22, SPM-13).
import type { Settings } from '#shared/configuration/model/settings.ts';
import type { User } from '#shared/configuration/model/user-entry.ts';
import { addressOf } from '#shared/domain/user-address.ts';
import { authoritiesOf } from './authorities.ts';

/** As stored; undefined: nothing. `source` has been judged by the model. */
export function valueAtSource(user: User, source: string, prefixes: Settings['authority_prefixes']): unknown {
  switch (source) {
    case 'email':
      return addressOf(user);
    case 'authorities':
      return authoritiesOf(user, prefixes);
    case 'username':
    case 'roles':
    case 'groups':
    case 'tenant':
    case 'identity_class':
    case 'entitlements':
    case 'source_acl':
      return user[source];
    default: {
      const [, kind = '', name = ''] = /^(claims|attributes)\.(.+)$/s.exec(source) ?? [];
      return kind === 'attributes' && Object.hasOwn(user.attributes, name) ? user.attributes[name] : undefined;
    }
  }
}

/** The texts of a value: none for what is missing or empty, one for each entry of a list, JSON for what is no text. */
export function textsOfValue(value: unknown): readonly string[] {
  if (value === undefined || value === null || value === '') return [];
  if (Array.isArray(value)) return value.map(textOrJson);
  return [textOrJson(value)];
}

function textOrJson(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
}
