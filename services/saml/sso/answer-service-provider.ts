// Responds to a service provider: builds the Response, signs it as required and puts it on the page that carries it to
// the ACS. On success the Assertion is signed and then the Response, on an error the Response (SRE-01, SAM-46 to SAM-54).
import { deflateRawSync } from 'node:zlib';
import { type Instant, plusSeconds } from '#shared/base/clock.ts';
import { notStored, type Reply } from '#shared/engine/exchange/reply.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { SamlAnswer, SamlEncryption } from '#shared/engine/exchange/saml-answer.ts';
import type { SessionLogin } from '#shared/engine/exchange/session-cookie.ts';
import type { ServiceProvider } from '#shared/model/configuration/service-provider.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';
import { endOfSession, type ServiceProviderParticipant, sessionLimits } from '#shared/model/domain/session.ts';
import { type NameId, nameIdOf } from '#shared/model/saml-rules/name-id.ts';
import { sessionEndOf, signedPartOf, signingAlgorithms, validityOf } from '#shared/model/saml-rules/response-form.ts';
import { effectiveSamlAddresses } from '#shared/protocol/saml/effective-addresses.ts';
import { freshIdentifier } from '#shared/protocol/saml/identifiers.ts';
import { documentMoment } from '#shared/protocol/saml/instants.ts';
import type { NameIdFormat } from '#shared/protocol/saml/name-formats.ts';
import type { SamlStatus } from '#shared/protocol/saml/status.ts';
import type { XmlElement } from '#shared/protocol/saml/xml-element.ts';
import { alteredAnswer, documentOf } from '../alter-answer.ts';
import {
  encryptedAfterwards,
  encryptionFor,
  withEncryptedAssertions,
  withEncryptedParts,
} from '../encryption/sealed-response.ts';
import { persistentNameIdKey } from '../persistent-name-id-key.ts';
import { loginAssertion } from '../protocol/assertion.ts';
import { selectedService } from '../protocol/attributes.ts';
import {
  type LoginResponseHead,
  loginErrorResponse,
  loginSuccessResponse,
  scopeOfLoginAssertion,
} from '../protocol/response.ts';
import type { VerifiedAuthnRequest } from '../protocol/verified-authn-request.ts';
import { attributesFor, type LoggedInUser } from '../registered-service-provider.ts';
import { signedWhereDemanded } from '../signing/signed-where-demanded.ts';
import { deliveryReply } from './delivery-page.ts';

/** A request together with the address for its response. */
export interface AnswerableRequest {
  /** The values that the response copies from the request, or their replacement. */
  readonly received: Pick<VerifiedAuthnRequest, 'id' | 'issuer' | 'attributeServiceIndex'> & {
    readonly message: Pick<VerifiedAuthnRequest['message'], 'relayState'>;
  };
  readonly acsUrl: string;
  /** undefined: the service provider is not registered. */
  readonly serviceProvider: ServiceProvider | undefined;
}

export type Headers = Readonly<Record<string, string | readonly string[]>>;

export interface Granted {
  readonly user: User;
  readonly login: SessionLogin;
  readonly format: NameIdFormat;
  readonly audiences: readonly string[];
  /** The NameID value that its registration selects (SPM-12). */
  readonly ownNameId?: string | undefined;
  /** The class that the request demanded and the login satisfies. undefined: the usual one of its method. */
  readonly contextClass?: string | undefined;
}

/** The meaning of a status, for a user who sees the page that carries it. */
const reasons: Partial<Readonly<Record<NonNullable<SamlStatus['nested']>, string>>> = {
  NoPassive: 'The application requested a login without interaction, which is not possible now (NoPassive).',
  InvalidNameIDPolicy: 'The application requested a NameID format that is not supported (InvalidNameIDPolicy).',
  RequestUnsupported: 'The application requested a set of attributes that it has not defined (RequestUnsupported).',
  NoAuthnContext:
    'The application requested a login method that is not available, or not for this user (NoAuthnContext).',
  AuthnFailed: 'The login was cancelled (AuthnFailed).',
  UnsupportedBinding:
    'The application requested the response with another binding than HTTP-POST (UnsupportedBinding).',
  UnknownPrincipal:
    'The application requested a user who is unknown or is not the one who logged in (UnknownPrincipal).',
};

export async function answerWithLogin(
  request: AnswerableRequest,
  { user, login, format, audiences, ownNameId, contextClass }: Granted,
  context: ProtocolContext,
  headers: Headers,
): Promise<Reply> {
  const { serviceProvider } = request;
  const { saml } = context.snapshot.settings;
  const fresh = () => freshIdentifier(context.random);
  const head = responseHead(request, context);
  const nameId = await nameIdOf(user, format, {
    ownValue: ownNameId,
    entityId: head.entityId,
    spIssuer: request.received.issuer,
    persistentKey: () => persistentNameIdKey({ ...context, paths: context.snapshot.paths }),
    freshIdentifier: fresh,
  });
  const sessionIndex = fresh();
  const assertion = loginAssertion({
    ...head,
    id: fresh(),
    nameId,
    audiences,
    validity: validityOf(saml, serviceProvider),
    sessionEnd: sessionEnd(serviceProvider, login, head.at, context),
    attributes: attributesIn(request, { user, login: login.claims }, context),
    authenticatedAt: login.at,
    method: login.method,
    contextClass,
    sessionIndex,
  });
  if (login.sid !== undefined) {
    const participant = participantOf(request, nameId, { issuer: head.entityId, sessionIndex });
    await context.store.sessions.join(login.sid, participant, context.clock.now());
  }
  const encryption = encryptionFor(serviceProvider);
  // A fault changes the plain response, so encryption comes after it (ENC-12).
  const now = context.outputHooks.samlAnswer === undefined ? encryption : undefined;
  const sign = signedPartOf(saml, serviceProvider);
  const algorithms = signingAlgorithms(saml, serviceProvider);
  const inside = { inherited: scopeOfLoginAssertion, layout: 'compact', algorithms } as const;
  const { random } = context;
  const sentAssertion =
    now === undefined ? assertion : withEncryptedParts(assertion, now, scopeOfLoginAssertion, random);
  const ready =
    sign === 'assertion' || sign === 'both' ? await signedWhereDemanded(sentAssertion, context, inside) : sentAssertion;
  const open = loginSuccessResponse(head, ready);
  const response = now === undefined ? open : withEncryptedAssertions(open, now, random);
  const signsResponse = sign === 'response' || sign === 'both';
  const whole = signsResponse
    ? await signedWhereDemanded(response, context, { layout: 'compact', algorithms })
    : response;
  return deliver('login', whole, request, context, headers, { encryption: now === undefined ? encryption : undefined });
}

/** `at`: the issue. The request that is answered is the latest use of the session (SRE-07). */
function sessionEnd(
  serviceProvider: ServiceProvider | undefined,
  { sid, at: authenticatedAt }: SessionLogin,
  at: Instant,
  { snapshot: { settings } }: ProtocolContext,
): Instant | undefined {
  const configured = sessionEndOf(settings.saml, serviceProvider);
  if (typeof configured === 'number') return plusSeconds(at, configured);
  if (configured === 'never' || sid === undefined) return undefined;
  return endOfSession({ authenticatedAt, lastUsedAt: at }, sessionLimits(settings));
}

function attributesIn({ received, serviceProvider }: AnswerableRequest, user: LoggedInUser, context: ProtocolContext) {
  const all = attributesFor(user, serviceProvider, 'sso', context);
  if (serviceProvider === undefined) return all;
  const selected = selectedService(serviceProvider.attribute_services, received.attributeServiceIndex) ?? 'all';
  return selected === 'all' ? all : all.filter(({ name }) => selected.has(name));
}

/** The data about this service provider that a later logout of the session needs. */
function participantOf(
  { received, acsUrl }: AnswerableRequest,
  { value, Format, NameQualifier, SPNameQualifier }: NameId,
  { issuer, sessionIndex }: { readonly issuer: string; readonly sessionIndex: string },
): ServiceProviderParticipant {
  return {
    kind: 'service_provider',
    entity_id: received.issuer ?? acsUrl,
    issuer,
    session_index: sessionIndex,
    name_id: { value, format: Format, name_qualifier: NameQualifier, sp_name_qualifier: SPNameQualifier },
  };
}

export async function answerWithError(
  request: AnswerableRequest,
  status: SamlStatus,
  context: ProtocolContext,
  headers: Headers,
): Promise<Reply> {
  const response = loginErrorResponse(responseHead(request, context), status);
  const { saml } = context.snapshot.settings;
  const isSigned = signedPartOf(saml, request.serviceProvider) !== 'none';
  const algorithms = signingAlgorithms(saml, request.serviceProvider);
  const ready = isSigned ? await signedWhereDemanded(response, context, { layout: 'compact', algorithms }) : response;
  return deliver('refusal', ready, request, context, headers, { reason: status.nested && reasons[status.nested] });
}

function responseHead({ received, acsUrl }: AnswerableRequest, context: ProtocolContext): LoginResponseHead {
  return {
    id: freshIdentifier(context.random),
    at: documentMoment(context.clock.now()),
    entityId: effectiveSamlAddresses(context.snapshot.settings.saml, context).entity_id,
    acsUrl,
    inResponseTo: received.id,
  };
}

async function deliver(
  kind: 'login' | 'refusal',
  response: XmlElement,
  { received, acsUrl, serviceProvider: registration }: AnswerableRequest,
  context: ProtocolContext,
  headers: Headers,
  { reason, encryption }: { readonly reason?: string | undefined; readonly encryption?: SamlEncryption | undefined },
): Promise<Reply> {
  const algorithms = signingAlgorithms(context.snapshot.settings.saml, registration);
  const { relayState: sentRelayState } = received.message;
  const right: SamlAnswer = { kind, response, algorithms, binding: 'post', relayState: sentRelayState, encryption };
  const serviceProvider = received.issuer ?? acsUrl;
  const altered = await alteredAnswer(right, context, serviceProvider);
  const answer = await encryptedAfterwards(altered, context);
  const text = documentOf(answer);
  // A response that a fault altered must not be sent again.
  if (kind === 'login' && altered.answer === right)
    await context.store.deliveredResponses.record(serviceProvider, text);
  const document = Buffer.from(text, 'utf8');
  if (answer.binding === 'redirect') return redirectReply(acsUrl, document, answer.relayState, headers);
  const { relayState, encoded = (base64) => base64 } = answer;
  const carried = relayState === undefined ? [] : [['RelayState', relayState] as const];
  return deliveryReply(
    kind,
    {
      reason,
      path: context.path,
      action: acsUrl,
      recipient: serviceProvider,
      fields: [['SAMLResponse', encoded(document.toString('base64'))], ...carried],
    },
    headers,
  );
}

/** By HTTP-Redirect, which the profile forbids (SAML profiles §4.1.2): only when a fault demands it. */
function redirectReply(acsUrl: string, document: Buffer, relayState: string | undefined, headers: Headers): Reply {
  const address = new URL(acsUrl);
  address.searchParams.append('SAMLResponse', deflateRawSync(document).toString('base64'));
  if (relayState !== undefined) address.searchParams.append('RelayState', relayState);
  return notStored({ status: 302, headers: { Location: address.href, ...headers }, body: '' });
}
