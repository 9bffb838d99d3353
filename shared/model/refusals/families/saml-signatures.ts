// Signatures of an AuthnRequest that are missing, wrong or in an unsupported form (SAM-25 to SAM-27).
import { verifiedRequestSeconds } from '#shared/model/domain/verified-authn-requests.ts';
import { minutesText } from '../quantities.ts';
import { docs, samlBindings, samlCore, xmlSignature } from '../references.ts';
import { declareRefusals } from '../refusal.ts';

const signed = {
  expected:
    'A signature over this request by a certificate of its registration, or of saml.sp_certificates where it is not registered.',
} as const;
const querySignature = { ...signed, standard: samlBindings('3.4.4.1') } as const;
const enveloped = { ...signed, standard: samlCore('5.4') } as const;
const element = { ...signed, standard: xmlSignature('4') } as const;
/**
 * Comments are dropped when a message is parsed, so that none can split a name. No canonical form here includes them.
 */
const canonicalization =
  'Exclusive XML Canonicalization 1.0, Canonical XML 1.0 or 1.1, each in its form without comments.';

export const samlSignatureRefusals = declareRefusals({
  saml_request_not_in_query: { ...querySignature, answer: 'the query has no SAMLRequest' },
  saml_query_signature_missing: { ...querySignature, answer: 'Signature is missing' },
  saml_signature_algorithm_missing: { ...querySignature, answer: 'SigAlg is missing' },
  saml_query_algorithm_not_supported: {
    ...querySignature,
    answer: 'SigAlg is not rsa-sha256, rsa-sha512 or rsa-sha1',
  },
  saml_query_signature_wrong: {
    ...querySignature,
    answer: 'the query signature does not verify with any certificate that counts for this service provider',
  },
  saml_query_parameter_repeated: {
    ...querySignature,
    answer: ({ parameter }: { parameter: string }) => `${parameter} stands more than once in the query`,
    evidence: ({ parameter }: { parameter: string }) => ({ parameter }),
  },
  saml_signed_request_unreadable: {
    ...enveloped,
    answer: 'the request cannot be read, so it carries no signature',
  },
  saml_signed_request_not_remembered: {
    ...querySignature,
    answer: `this browser sent no such signed request in the last ${minutesText(verifiedRequestSeconds)}`,
  },
  saml_certificates_missing: {
    ...signed,
    answer:
      'there is no usable certificate for this service provider: in its registration, or in saml.sp_certificates where it is not registered',
    standard: docs('settings.md#saml'),
  },
  saml_signature_missing: {
    ...enveloped,
    answer: 'the request carries no enveloped signature on its root element',
  },
  saml_signature_wrong: {
    ...enveloped,
    answer: 'the enveloped signature does not verify with any certificate that counts for this service provider',
  },
  saml_signature_of_another_element: {
    ...enveloped,
    answer: 'the signature covers another element than the root',
  },
  saml_signed_request_too_large: {
    ...enveloped,
    answer: ({ partsMax }: { partsMax: number }) => `the request has more than ${partsMax} elements and attributes`,
  },
  saml_signature_parts_not_single: {
    ...enveloped,
    answer: ({ local }: { local: string }) => `the request must hold exactly one ${local}`,
  },
  saml_canonicalization_not_supported: {
    ...element,
    answer: 'the canonicalization of the signature is not Exclusive 1.0, 1.0 or 1.1 without comments',
    expected: canonicalization,
  },
  saml_signature_algorithm_not_supported: {
    ...element,
    answer: 'the signature algorithm is not rsa-sha256, rsa-sha512 or rsa-sha1',
  },
  saml_digest_not_supported: { ...element, answer: 'the digest is not SHA-256, SHA-512 or SHA-1' },
  saml_signed_id_unusable: { ...enveloped, answer: 'the signed root element has no usable ID' },
  saml_reference_of_another_element: {
    ...enveloped,
    answer: 'the Reference of the signature is not to the root element',
  },
  saml_transforms_not_supported: {
    ...enveloped,
    answer: 'the signature may use enveloped-signature and one canonicalization as its transforms, nothing else',
    expected: `The enveloped-signature transform, and behind it none or one canonicalization: ${canonicalization}`,
  },
  saml_prefix_list_not_supported: {
    ...enveloped,
    answer:
      'the PrefixList of an InclusiveNamespaces may only have prefixes with single spaces between them, and #default not in the CanonicalizationMethod',
  },
  saml_signed_id_not_unique: { ...enveloped, answer: 'the ID of the root element is not unique' },
  saml_signed_text_unreadable: { ...enveloped, answer: 'what the signature covers cannot be read' },
  saml_signature_incomplete: {
    ...element,
    answer: ({ local }: { local: string }) => `the signature has no ${local}`,
  },
});
