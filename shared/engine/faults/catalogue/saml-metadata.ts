// Faults of SAML metadata and of the responses to attribute queries (FLT-K200 to FLT-K203).
import { type FaultRow, faultRow } from '../fault-row.ts';
import { metadataExpired, metadataOtherCertificate, queryUnsigned } from '../saml/delivery.ts';
import { otherSubject } from '../saml/subject.ts';

export const samlMetadataFaults: readonly FaultRow[] = [
  faultRow({
    id: 'FLT-K200',
    name: 'saml_metadata_expired',
    effect: 'validUntil was an hour ago.',
    at: ['saml_metadata'],
    phase: 'after',
    client: 'reject',
    source: 'SAML metadata §2.3.2',
    make: () => ({ hookPoint: 'saml_metadata', change: metadataExpired }),
  }),
  faultRow({
    id: 'FLT-K201',
    name: 'saml_metadata_other_certificate',
    effect: 'The signing certificate belongs to an unknown key.',
    at: ['saml_metadata'],
    phase: 'after',
    client: 'reject',
    source: 'SAML metadata §2.4.1.1',
    usesUnknownKey: true,
    make: () => ({ hookPoint: 'saml_metadata', change: metadataOtherCertificate }),
  }),
  faultRow({
    id: 'FLT-K202',
    name: 'saml_query_unsigned',
    effect: 'The Response has no signature.',
    at: ['saml_attribute_query'],
    phase: 'after',
    client: 'either',
    source: 'SAML profiles §6.3.2',
    make: () => ({ hookPoint: 'saml', change: queryUnsigned }),
  }),
  faultRow({
    id: 'FLT-K203',
    name: 'saml_query_other_subject',
    effect: 'The Assertion has a different NameID than the query.',
    at: ['saml_attribute_query'],
    phase: 'after',
    client: 'reject',
    source: 'SAML core §3.3.4',
    make: () => ({ hookPoint: 'saml', change: otherSubject }),
  }),
];
