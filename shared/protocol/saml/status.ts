// Status codes of a Response: a top-level code that names the party at fault, and a nested code with the reason (SAML
// core §3.2.2.2).
import { saml2p } from './vocabulary.ts';
import type { XmlElement } from './xml-element.ts';

export const statusPrefix = 'urn:oasis:names:tc:SAML:2.0:status:';

export interface SamlStatus {
  readonly top: 'Success' | 'Requester' | 'Responder';
  readonly nested?:
    | 'NoPassive'
    | 'InvalidNameIDPolicy'
    | 'UnsupportedBinding'
    | 'UnknownPrincipal'
    | 'RequestUnsupported'
    | 'NoAuthnContext'
    | 'AuthnFailed'
    | 'RequestDenied'
    | 'PartialLogout';
  /** The cause, in one sentence for the developer of the service provider. Never a value of a user (SRE-09). */
  readonly message?: string | undefined;
}

export const success: SamlStatus = { top: 'Success' };
export const noPassive: SamlStatus = { top: 'Responder', nested: 'NoPassive' };
export const invalidNameIdPolicy: SamlStatus = { top: 'Requester', nested: 'InvalidNameIDPolicy' };
export const unsupportedBinding: SamlStatus = { top: 'Requester', nested: 'UnsupportedBinding' };
export const requestUnsupported: SamlStatus = { top: 'Requester', nested: 'RequestUnsupported' };
export const noAuthnContext: SamlStatus = { top: 'Responder', nested: 'NoAuthnContext' };
export const authnFailed: SamlStatus = { top: 'Responder', nested: 'AuthnFailed' };
export const requestDenied: SamlStatus = { top: 'Requester', nested: 'RequestDenied' };
/** Some participants were not notified, but the session has ended (SAML core §3.7.3.2). */
export const partialLogout: SamlStatus = {
  top: 'Success',
  nested: 'PartialLogout',
  message: 'The session has ended, but not every other application confirmed the logout.',
};
export const unknownPrincipal: SamlStatus = { top: 'Requester', nested: 'UnknownPrincipal' };

export function statusElement({ top, nested, message }: SamlStatus): XmlElement {
  const inner = nested === undefined ? undefined : saml2p('StatusCode', { Value: statusPrefix + nested });
  return saml2p('Status', {}, [
    saml2p('StatusCode', { Value: statusPrefix + top }, [inner]),
    message === undefined ? undefined : saml2p('StatusMessage', {}, [message]),
  ]);
}
