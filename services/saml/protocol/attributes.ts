// The attributes of a user for SSO and attribute query: one list, one order (SAM-40 to SAM-44). Tenant, description,
// authorities, password and TOTP secret are never included.

import { textOfValue } from '#shared/engine/tokens/claims/claim-sources.ts';
import type { ClaimSource } from '#shared/model/configuration/claim-source.ts';
import type { AttributeService, MappedAttribute } from '#shared/model/configuration/service-provider-entry.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';
import { withIndex } from '#shared/protocol/saml/indexed-endpoints.ts';
import { attributeNameFormatUri } from '#shared/protocol/saml/name-formats.ts';
import { saml2 } from '#shared/protocol/saml/vocabulary.ts';
import type { XmlElement } from '#shared/protocol/saml/xml-element.ts';

export interface SamlAttribute {
  readonly name: string;
  /** URI. undefined: no NameFormat attribute. */
  readonly nameFormat?: string | undefined;
  readonly friendlyName?: string | undefined;
  /** Never empty. */
  readonly values: readonly string[];
}

interface AttributeRules {
  readonly export_roles: boolean;
  readonly export_groups: boolean;
  readonly roles_attr_name: string;
  readonly groups_attr_name: string;
}

export function attributesOf(user: User, rules: AttributeRules, occasion: 'sso' | 'query'): readonly SamlAttribute[] {
  const list = new Map<string, readonly string[]>();
  list.set('email', textsOf(user.email));
  list.set('identity_class', textsOf(user.identity_class));
  list.set('entitlements', user.entitlements);
  if (occasion === 'query') list.set('source_acl', user.source_acl);
  if (rules.export_roles) add(list, nameOr(rules.roles_attr_name, 'roles'), user.roles);
  if (rules.export_groups) add(list, nameOr(rules.groups_attr_name, 'groups'), user.groups);
  // A custom attribute replaces an earlier one with the same name.
  for (const name of Object.keys(user.attributes)) list.set(name, textsOf(user.attributes[name]));
  return [...list].filter(([, values]) => values.length > 0).map(([name, values]) => ({ name, values }));
}

function nameOr(configured: string, fallback: string): string {
  return configured.trim() === '' ? fallback : configured;
}

/** If the name exists already, the values are added to it without duplicates (SAM-42). */
function add(list: Map<string, readonly string[]>, name: string, values: readonly string[]): void {
  const earlier = list.get(name);
  list.set(name, earlier === undefined ? values : [...new Set([...earlier, ...values])]);
}

/** No value for a missing or empty one, one for each entry of a list, JSON for anything that is not a string. */
export function textsOf(value: unknown): readonly string[] {
  if (value === undefined || value === null || value === '') return [];
  return Array.isArray(value) ? value.map(textOfValue) : [textOfValue(value)];
}

/**
 * The attributes that a registered service provider maps itself (SPM-13 to SPM-16). `valuesAt`: the values at a source.
 */
export function mappedAttributes(
  mapped: readonly MappedAttribute[],
  valuesAt: (source: ClaimSource) => readonly unknown[],
): readonly SamlAttribute[] {
  const list = new Map<string, SamlAttribute>();
  for (const { name, name_format, friendly_name, from, values: fixed, as = 'list' } of mapped) {
    const found = fixed ?? (from === undefined ? [] : valuesAt(from).map(textOfValue));
    const values = valuesAs(as, [...new Set(found)]);
    if (values.length === 0) continue;
    const nameFormat = name_format === undefined ? undefined : attributeNameFormatUri(name_format);
    const key = JSON.stringify([name, nameFormat ?? null]);
    const earlier = list.get(key);
    const joined = earlier === undefined ? values : [...new Set([...earlier.values, ...values])];
    list.set(key, { name, nameFormat, friendlyName: earlier?.friendlyName ?? friendly_name, values: joined });
  }
  return [...list.values()];
}

function valuesAs(as: NonNullable<MappedAttribute['as']>, values: readonly string[]): readonly string[] {
  if (as === 'text') return values.length === 0 ? [] : [values.join(' ')];
  return as === 'always' && values.length === 0 ? [''] : values;
}

/**
 * The names that an AttributeConsumingServiceIndex selects, or the default when the request has none. 'all' without
 * either. undefined for an unknown index (SPM-17).
 */
export function selectedService(
  services: readonly AttributeService[],
  index: string | undefined,
): ReadonlySet<string> | 'all' | undefined {
  if (index !== undefined) {
    const chosen = withIndex(services, index);
    return chosen && new Set(chosen.attributes);
  }
  const byDefault = services.find((service) => service.default === true);
  return byDefault === undefined ? 'all' : new Set(byDefault.attributes);
}

/** The attributes that a query requests: names, each with the allowed values. No value: any. Empty: all attributes. */
export type RequestedAttributes = ReadonlyMap<string, readonly string[]>;

/**
 * The attributes of the list whose names a query requests, or all when it names none (SAM-65). When the query lists
 * values, no other value is disclosed (SAML core §3.3.2.3).
 */
export function selectedAttributes(
  attributes: readonly SamlAttribute[],
  requested: RequestedAttributes,
): readonly SamlAttribute[] {
  if (requested.size === 0) return attributes;
  return attributes.flatMap((attribute) => {
    const { name, values } = attribute;
    const requestedValues = requested.get(name);
    const released =
      requestedValues?.length === 0 ? values : values.filter((value) => requestedValues?.includes(value));
    return released.length === 0 ? [] : [{ ...attribute, values: released }];
  });
}

/** undefined without any attribute: an empty statement is invalid. */
export function attributeStatement(attributes: readonly SamlAttribute[]): XmlElement | undefined {
  if (attributes.length === 0) return undefined;
  const elements = attributes.map(({ name, nameFormat, friendlyName, values }) =>
    saml2(
      'Attribute',
      { FriendlyName: friendlyName, Name: name, NameFormat: nameFormat },
      values.map((value) => saml2('AttributeValue', {}, [value])),
    ),
  );
  return saml2('AttributeStatement', {}, elements);
}
