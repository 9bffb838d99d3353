// Keys about the form of SAML messages. Each exists in `saml` for all service providers, and in an entry for one.
// saml-rules/response-form.ts merges the two.
import { digestAlgorithms, signatureAlgorithms } from '#shared/protocol/saml/signature-algorithms.ts';
import { oneOf } from './value-kinds.ts';

export const signatureAlgorithm = () => oneOf(signatureAlgorithms);
export const digestAlgorithm = () => oneOf(digestAlgorithms);
