// Faults of the attributes and the size of a SAML login (FLT-K191 to FLT-K199).
import * as z from 'zod';
import type { FaultRow } from '../fault-row.ts';
import * as attributes from '../saml/attributes.ts';
import * as delivery from '../saml/delivery.ts';
import * as text from '../saml/document-text.ts';
import { loginFault } from './saml-login.ts';

const attributeName = {
  name: z.string().min(1).max(256).default('email').describe('The attribute.'),
};
const valueCount = {
  count: z.int().min(2).max(10_000).default(1000).describe('How many values it has.'),
};
const mebibyte = 1024 * 1024;
const documentBytes = {
  bytes: z
    .int()
    .min(16 * 1024)
    .max(8 * mebibyte)
    .default(mebibyte)
    .describe('How long the Response is, in bytes.'),
};

export const samlAttributeFaults: readonly FaultRow[] = [
  loginFault({
    id: 'FLT-K191',
    name: 'saml_attributes_missing',
    effect: 'There is no AttributeStatement.',
    client: 'either',
    source: 'SAML core §2.7.3',
    make: () => attributes.attributesMissing,
  }),
  loginFault({
    id: 'FLT-K192',
    name: 'saml_attribute_missing',
    effect: 'The attribute with this `name` is missing.',
    client: 'either',
    source: 'SAML core §2.7.3',
    parameters: { ...attributeName },
    make: ({ name }) => attributes.attributeMissing(name),
  }),
  loginFault({
    id: 'FLT-K193',
    name: 'saml_attribute_empty',
    effect: 'The value of the attribute with this `name` is empty.',
    client: 'either',
    source: 'SAML core §2.7.3.1.1',
    parameters: { ...attributeName },
    make: ({ name }) => attributes.attributeEmpty(name),
  }),
  loginFault({
    id: 'FLT-K194',
    name: 'saml_attribute_many',
    effect: 'The attribute with this `name` has `count` values.',
    client: 'either',
    source: 'SAML core §2.7.3.1',
    parameters: { ...attributeName, ...valueCount },
    make: ({ name, count }) => attributes.attributeMany(name, count),
  }),
  loginFault({
    id: 'FLT-K195',
    name: 'saml_attribute_nested',
    effect: 'The value of the attribute with this `name` is an XML element.',
    client: 'either',
    source: 'SAML core §2.7.3.1.1',
    parameters: { ...attributeName },
    make: ({ name }) => attributes.attributeNested(name),
  }),
  loginFault({
    id: 'FLT-K196',
    name: 'saml_attribute_duplicated',
    effect: 'Two Attributes have this `name`, the second with a different value.',
    client: 'either',
    source: 'SAML core §2.7.3',
    parameters: { ...attributeName },
    make: ({ name }) => attributes.attributeDuplicated(name),
  }),
  loginFault({
    id: 'FLT-K197',
    name: 'saml_response_large',
    effect: 'An attribute `padding` makes the Response `bytes` long.',
    client: 'either',
    source: '(A)',
    parameters: { ...documentBytes },
    make: ({ bytes }) => text.responseLarge(bytes),
  }),
  loginFault({
    id: 'FLT-K198',
    name: 'saml_base64_wrapped',
    effect: 'SAMLResponse is split into lines of 76 characters.',
    client: 'accept',
    source: 'SAML bindings §3.5.4, RFC 2045 §6.8',
    make: () => delivery.base64Wrapped,
  }),
  loginFault({
    id: 'FLT-K199',
    name: 'saml_prefixes_changed',
    effect: 'The namespaces have unusual prefixes.',
    client: 'accept',
    source: 'XML Namespaces §2.1',
    make: () => text.prefixesChanged,
  }),
];
