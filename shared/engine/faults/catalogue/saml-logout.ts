// Faults of the LogoutRequests that a browser carries to the service providers, or that are sent by SOAP meanwhile
// (FLS-04 to FLS-06). They change the request before it is signed.

import { replacing, withAttributes, withText } from '#shared/protocol/saml/edit-tree.ts';
import { documentMoment, samlInstantAfter } from '#shared/protocol/saml/instants.ts';
import { assertionNamespace, protocolNamespace } from '#shared/protocol/saml/vocabulary.ts';
import { textOf } from '#shared/protocol/saml/xml-element.ts';
import { type FaultRow, faultRow } from '../fault-row.ts';
import { nameId } from './saml-login.ts';

const common = { at: ['saml_slo'], phase: 'after' } as const;
const hourSeconds = 3600;

export const samlLogoutFaults: readonly FaultRow[] = [
  faultRow({
    ...common,
    id: 'FLS-04',
    name: 'saml_logout_session_index_missing',
    effect: 'The LogoutRequest names no session, so it means all sessions of that user.',
    client: 'accept',
    source: 'SAML core §3.7.3',
    make: () => ({
      hookPoint: 'saml_logout_request',
      change: (request) => replacing(request, [protocolNamespace, 'SessionIndex'], () => undefined),
    }),
  }),
  faultRow({
    ...common,
    id: 'FLS-05',
    name: 'saml_logout_foreign_name_id',
    effect: 'The LogoutRequest has a different NameID than the service provider received.',
    client: 'reject',
    source: 'SAML core §3.7.3',
    parameters: nameId,
    make: ({ name_id }) => ({
      hookPoint: 'saml_logout_request',
      change(request) {
        let isAnother = false;
        const changed = replacing(request, [assertionNamespace, 'NameID'], (element) => {
          isAnother ||= textOf(element) !== name_id;
          return withText(element, name_id);
        });
        return isAnother ? changed : undefined;
      },
    }),
  }),
  faultRow({
    ...common,
    id: 'FLS-06',
    name: 'saml_logout_expired',
    effect: 'NotOnOrAfter of the LogoutRequest was an hour ago.',
    client: 'reject',
    source: 'SAML core §3.7.1',
    make: () => ({
      hookPoint: 'saml_logout_request',
      change: (request, { now }) =>
        withAttributes(request, { NotOnOrAfter: samlInstantAfter(documentMoment(now), -hourSeconds) }),
    }),
  }),
];
