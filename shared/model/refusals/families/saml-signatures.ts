// Signatures of an AuthnRequest that are missing, wrong or in an unsupported form (SAM-25 to SAM-27).
import { verifiedRequestSeconds } from '#shared/model/domain/verified-authn-requests.ts';
import { signatureAlgorithms } from '#shared/protocol/saml/signature-algorithms.ts';
import { minutesText } from '../quantities.ts';
import { docs, samlBindings, samlCore, xmlSignature } from '../references.ts';
import { declareRefusals } from '../refusal.ts';

const signed = {
  expected:
    'A signature that a certificate of the service provider verifies. Unregistered ones use saml.sp_certificates.',
} as const;
const querySignature = { ...signed, standard: samlBindings('3.4.4.1') } as const;
const enveloped = { ...signed, standard: samlCore('5.4') } as const;
const element = { ...signed, standard: xmlSignature('4') } as const;
const algorithms = signatureAlgorithms.join(', ');
/**
 * Comments are dropped when a message is parsed, so that none can split a name. No canonical form here includes them.
 */
const canonicalization =
  'Exclusive XML Canonicalization 1.0, Canonical XML 1.0 or 1.1, each in its form without comments.';

export const samlSignatureRefusals = declareRefusals({
  saml_request_not_in_query: { ...querySignature, answer: 'SAMLRequest is missing in the query' },
  saml_query_signature_missing: { ...querySignature, answer: 'Signature is missing' },
  saml_signature_algorithm_missing: { ...querySignature, answer: 'SigAlg is missing' },
  saml_query_algorithm_not_supported: {
    ...querySignature,
    answer: `SigAlg is not one of ${algorithms}`,
  },
  saml_query_signature_wrong: {
    ...querySignature,
    answer: 'no certificate of this service provider verifies the query signature',
  },
  saml_query_parameter_repeated: {
    ...querySignature,
    answer: ({ parameter }: { parameter: string }) => `the parameter ${parameter} is repeated in the query`,
    evidence: ({ parameter }: { parameter: string }) => ({ parameter }),
  },
  saml_signed_request_unreadable: {
    ...enveloped,
    answer: 'the request cannot be read, so its signature cannot be verified',
  },
  saml_signed_request_not_remembered: {
    ...querySignature,
    answer: `this browser did not send this signed request in the last ${minutesText(verifiedRequestSeconds)}`,
  },
  saml_certificates_missing: {
    ...signed,
    answer:
      'this service provider has no usable certificate. Add one to its entry, or to saml.sp_certificates if it is unregistered',
    standard: docs('settings.md#saml'),
  },
  saml_signature_missing: {
    ...enveloped,
    answer: 'the root element of the request has no enveloped signature',
  },
  saml_signature_wrong: {
    ...enveloped,
    answer: 'no certificate of this service provider verifies the enveloped signature',
  },
  saml_signature_of_another_element: {
    ...enveloped,
    answer: 'the signature does not cover the root element',
  },
  saml_signed_request_too_large: {
    ...enveloped,
    answer: ({ partsMax }: { partsMax: number }) => `the request has more than ${partsMax} elements and attributes`,
  },
  saml_signature_parts_not_single: {
    ...enveloped,
    answer: ({ local }: { local: string }) => `the request must have exactly one ${local}`,
  },
  saml_canonicalization_not_supported: {
    ...element,
    answer: 'the canonicalization of the signature is not Exclusive 1.0, 1.0 or 1.1 without comments',
    expected: canonicalization,
  },
  saml_signature_algorithm_not_supported: {
    ...element,
    answer: `the signature algorithm is not one of ${algorithms}`,
  },
  saml_digest_not_supported: { ...element, answer: 'the digest is not SHA-1, SHA-256, SHA-384 or SHA-512' },
  saml_signed_id_unusable: { ...enveloped, answer: 'the signed root element has no valid ID' },
  saml_reference_of_another_element: {
    ...enveloped,
    answer: 'the Reference of the signature does not point to the root element',
  },
  saml_transforms_not_supported: {
    ...enveloped,
    answer: 'the signature has other transforms than enveloped-signature and one canonicalization',
    expected: `The enveloped-signature transform, then at most one canonicalization: ${canonicalization}`,
  },
  saml_prefix_list_not_supported: {
    ...enveloped,
    answer:
      'the PrefixList of InclusiveNamespaces must have prefixes separated by single spaces, without #default in the CanonicalizationMethod',
  },
  saml_signed_id_not_unique: { ...enveloped, answer: 'the ID of the root element is not unique' },
  saml_signed_text_unreadable: { ...enveloped, answer: 'the signed content cannot be read' },
  saml_signature_incomplete: {
    ...element,
    answer: ({ local }: { local: string }) => `the signature has no ${local}`,
  },
});
