// What SSO and attribute query say of a user: one list, one order (SAM-40 to SAM-44). Tenant, description, authorities,
// password and TOTP secret are never part of it.
import type { User } from '#shared/configuration/model/user-entry.ts';
import { saml2 } from '#shared/protocol/saml/vocabulary.ts';
import type { XmlElement } from '#shared/protocol/saml/xml-element.ts';

export interface SamlAttribute {
  readonly name: string;
  /** Never empty. */
  readonly values: readonly string[];
}

export interface AttributeRules {
  readonly export_roles: boolean;
  readonly export_groups: boolean;
  readonly roles_attr_name: string;
  readonly groups_attr_name: string;
}

export function attributesOf(user: User, rules: AttributeRules, occasion: 'sso' | 'query'): readonly SamlAttribute[] {
  const list = new Map<string, readonly string[]>();
  list.set('email', valuesOf(user.email));
  list.set('identity_class', valuesOf(user.identity_class));
  list.set('entitlements', user.entitlements);
  if (occasion === 'query') list.set('source_acl', user.source_acl);
  if (rules.export_roles) add(list, nameOr(rules.roles_attr_name, 'roles'), user.roles);
  if (rules.export_groups) add(list, nameOr(rules.groups_attr_name, 'groups'), user.groups);
  // A custom attribute takes the place of an earlier one of its name.
  for (const name of Object.keys(user.attributes)) list.set(name, valuesOf(user.attributes[name]));
  return [...list].filter(([, values]) => values.length > 0).map(([name, values]) => ({ name, values }));
}

function nameOr(configured: string, fallback: string): string {
  return configured.trim() === '' ? fallback : configured;
}

/** Under a name that is there already the values join it, without repeating any (SAM-42). */
function add(list: Map<string, readonly string[]>, name: string, values: readonly string[]): void {
  const earlier = list.get(name);
  list.set(name, earlier === undefined ? values : [...new Set([...earlier, ...values])]);
}

/** No value for what is missing or empty, one for each entry of a list, the JSON form of what is no text. */
function valuesOf(value: unknown): readonly string[] {
  if (value === undefined || value === null || value === '') return [];
  return Array.isArray(value) ? value.map(textOrJson) : [textOrJson(value)];
}

function textOrJson(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
}

/** What a query asks for: names, each with the values it may have; no value named: any. Empty: everything. */
export type RequestedAttributes = ReadonlyMap<string, readonly string[]>;

/**
 * Those of the list whose names a query asks for; all of them when it names none (SAM-65). Of an attribute asked for with
 * values no other value is told (SAML core §3.3.2.3).
 */
export function selectedAttributes(
  attributes: readonly SamlAttribute[],
  requested: RequestedAttributes,
): readonly SamlAttribute[] {
  if (requested.size === 0) return attributes;
  return attributes.flatMap(({ name, values }) => {
    const wanted = requested.get(name);
    const told = wanted?.length === 0 ? values : values.filter((value) => wanted?.includes(value));
    return told.length === 0 ? [] : [{ name, values: told }];
  });
}

/** undefined without any attribute: an empty statement is not valid. */
export function attributeStatement(attributes: readonly SamlAttribute[]): XmlElement | undefined {
  if (attributes.length === 0) return undefined;
  const elements = attributes.map(({ name, values }) =>
    saml2(
      'Attribute',
      { Name: name },
      values.map((value) => saml2('AttributeValue', {}, [value])),
    ),
  );
  return saml2('AttributeStatement', {}, elements);
}
