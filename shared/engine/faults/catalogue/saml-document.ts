// Faults of the parts, the text, the status and the transport of a SAML login (FLT-K177 to FLT-K190).
import * as z from 'zod';
import type { FaultRow } from '../fault-row.ts';
import * as delivery from '../saml/delivery.ts';
import * as text from '../saml/document-text.ts';
import * as subject from '../saml/subject.ts';
import { loginFault } from './saml-login.ts';

const statusCode = z.string().regex(/^[A-Za-z]{1,64}$/);
const status = {
  status: z.enum(['Requester', 'Responder', 'VersionMismatch']).default('Responder').describe('The top status code.'),
  second: statusCode.default('AuthnFailed').describe('The status code inside it.'),
};

const relayState = {
  relay_state: z.string().max(1024).default('https://attacker.example/').describe('The replacement value.'),
};

export const samlDocumentFaults: readonly FaultRow[] = [
  loginFault({
    id: 'FLT-K177',
    name: 'saml_authn_statement_missing',
    effect: 'There is no AuthnStatement.',
    client: 'reject',
    source: 'SAML profiles §4.1.4.2',
    make: () => subject.authnStatementMissing,
  }),
  loginFault({
    id: 'FLT-K178',
    name: 'saml_nameid_missing',
    effect: 'The Subject has no NameID.',
    client: 'either',
    source: 'SAML core §2.4.1',
    make: () => subject.nameIdMissing,
  }),
  loginFault({
    id: 'FLT-K179',
    name: 'saml_confirmation_missing',
    effect: 'The Subject has no SubjectConfirmation.',
    client: 'reject',
    source: 'SAML profiles §4.1.4.2',
    make: () => subject.confirmationMissing,
  }),
  loginFault({
    id: 'FLT-K180',
    name: 'saml_confirmation_method_wrong',
    effect: 'The Method of the SubjectConfirmation is holder-of-key.',
    client: 'reject',
    source: 'SAML profiles §4.1.4.2',
    make: () => subject.confirmationMethodWrong,
  }),
  loginFault({
    id: 'FLT-K181',
    name: 'saml_version_wrong',
    effect: 'The Version of the Response is 1.1.',
    client: 'reject',
    source: 'SAML core §3.2.2',
    make: () => subject.versionWrong,
  }),
  loginFault({
    id: 'FLT-K182',
    name: 'saml_doctype',
    effect: 'The document has a DOCTYPE without entities.',
    client: 'reject',
    source: 'CWE-611',
    make: () => text.doctype,
  }),
  loginFault({
    id: 'FLT-K183',
    name: 'saml_entity_expansion',
    effect: 'Nested entities expand to 1 MiB in an attribute value.',
    client: 'reject',
    source: 'CWE-776',
    make: () => text.entityExpansion,
  }),
  loginFault({
    id: 'FLT-K184',
    name: 'saml_external_entity',
    effect: 'An attribute value is an external entity that refers to the material of the fault.',
    client: 'reject',
    source: 'CWE-611',
    material: () => ({ mediaType: 'text/plain; charset=utf-8', text: text.externalEntityText }),
    make: () => text.externalEntity,
  }),
  loginFault({
    id: 'FLT-K185',
    name: 'saml_status_error',
    effect: 'The status is an error, there is no Assertion, and the Response is signed.',
    client: 'reject',
    source: 'SAML core §3.2.2.2',
    parameters: { ...status },
    make: (status) => delivery.statusError(status),
  }),
  loginFault({
    id: 'FLT-K186',
    name: 'saml_status_error_with_assertion',
    effect: 'The status is an error, although the Response has the correct Assertion.',
    client: 'reject',
    source: 'SAML core §3.2.2.2',
    parameters: { ...status },
    make: (status) => delivery.statusErrorWithAssertion(status),
  }),
  loginFault({
    id: 'FLT-K187',
    name: 'saml_relay_state_missing',
    effect: 'The form has no RelayState.',
    client: 'either',
    source: 'SAML bindings §3.5.3',
    make: () => delivery.relayStateMissing,
  }),
  loginFault({
    id: 'FLT-K188',
    name: 'saml_relay_state_changed',
    effect: 'The RelayState is different.',
    client: 'either',
    source: 'SAML bindings §3.5.3',
    parameters: { ...relayState },
    make: ({ relay_state }) => delivery.relayStateChanged(relay_state),
  }),
  loginFault({
    id: 'FLT-K189',
    name: 'saml_wrong_binding',
    effect: 'The Response arrives in the query of a redirect (302) to the ACS.',
    client: 'reject',
    source: 'SAML profiles §4.1.2',
    make: () => delivery.wrongBinding,
  }),
  loginFault({
    id: 'FLT-K190',
    name: 'saml_nameid_changes',
    effect: 'The NameID is different at every login.',
    client: 'either',
    source: 'SAML core §8.3.7',
    make: () => subject.nameIdChanges,
  }),
];
