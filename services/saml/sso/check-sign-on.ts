// The checks before a login, in this order. The first check that fails rejects the AuthnRequest with a status.
import { loginFields } from '#shared/engine/login/attempt-login.ts';
import { samlRefusals } from '#shared/model/refusals/families/saml.ts';
import { refused } from '#shared/model/refusals/refusal.ts';
import {
  authnFailed,
  invalidNameIdPolicy,
  noAuthnContext,
  requestUnsupported,
  unsupportedBinding,
} from '#shared/protocol/saml/status.ts';
import { httpPostBinding } from '#shared/protocol/saml/vocabulary.ts';
import { selectedService } from '../protocol/attributes.ts';
import { cancelField } from './ask-for-login.ts';
import { isReachable, unmetContext, usualMethods } from './authn-context.ts';
import { requestedFormat } from './name-id-format.ts';
import type { SamlRejection, SignOn } from './sign-on.ts';

type Check = (signOn: SignOn) => SamlRejection | undefined;

export function checkSignOn(signOn: SignOn): SamlRejection | undefined {
  for (const check of checks) {
    const rejection = check(signOn);
    if (rejection !== undefined) return rejection;
  }
  return undefined;
}

const protocolBinding: Check = ({ answerable: { received } }) => {
  if (received.protocolBinding === undefined || received.protocolBinding === httpPostBinding) return undefined;
  return { status: unsupportedBinding, refused: refused(samlRefusals.protocol_binding_not_supported) };
};

const nameIdPolicy: Check = ({ answerable }) => {
  if (requestedFormat(answerable) !== undefined) return undefined;
  const sent = answerable.received.nameIdFormat;
  return { status: invalidNameIdPolicy, refused: refused(samlRefusals.name_id_policy_not_supported, { sent }) };
};

/** Affiliations and other providers are unknown: the requester may only name itself (SAML core §3.4.1.1). */
const nameQualifier: Check = ({ answerable }) => {
  const { spNameQualifier, issuer } = answerable.received;
  if (spNameQualifier === undefined || spNameQualifier === issuer) return undefined;
  return { status: invalidNameIdPolicy, refused: refused(samlRefusals.name_qualifier_of_another_provider) };
};

const attributeService: Check = ({ answerable: { received, serviceProvider } }) => {
  if (serviceProvider === undefined) return undefined;
  const sent = received.attributeServiceIndex;
  if (selectedService(serviceProvider.attribute_services ?? [], sent) !== undefined) return undefined;
  return { status: requestUnsupported, refused: refused(samlRefusals.attribute_service_index_unknown, { sent }) };
};

/** The fields that the user types or chooses. The form itself carries the id of a pending second factor. */
const credentials = loginFields.filter((name) => name !== 'pending_second_factor');

/** The cancel form carries no credentials. Programs that fill in a login form send its cancel button, too (LOG-06). */
const cancelled: Check = ({ isLogin, request: { form } }) => {
  if (!isLogin || !form.has(cancelField) || credentials.some((name) => form.has(name))) return undefined;
  return { status: authnFailed, refused: refused(samlRefusals.saml_login_cancelled) };
};

const authnContext: Check = ({ requiredContext, context }) => {
  if (requiredContext === undefined || isReachable(requiredContext, usualMethods(context), context)) return undefined;
  return { status: noAuthnContext, refused: unmetContext(requiredContext) };
};

const checks: readonly Check[] = [
  protocolBinding,
  nameIdPolicy,
  nameQualifier,
  attributeService,
  cancelled,
  authnContext,
];
