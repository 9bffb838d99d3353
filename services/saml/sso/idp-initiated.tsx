// GET and POST /saml/idp-initiated: single sign-on that begins here, without a request (section IDI; SAML profiles
// §4.1.5). With `sp` a Response goes to that service provider. Without it a page offers the registered ones.

import { createHash } from 'node:crypto';
import { AuditNote, audited } from '#shared/engine/exchange/audited.ts';
import { refuseCrossSite } from '#shared/engine/exchange/cross-site.ts';
import { notStored, type Reply, withHeaders } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { pageOf } from '#shared/engine/exchange/route.ts';
import type { SessionLogin } from '#shared/engine/exchange/session-cookie.ts';
import {
  effectiveServiceProviders,
  findEffectiveServiceProvider,
} from '#shared/engine/identities/effective-identities.ts';
import { attemptLogin, initialStep, loginFields } from '#shared/engine/login/attempt-login.ts';
import { automaticUser, completedAutomatically, missingAutomaticUser } from '#shared/engine/login/automatic-login.ts';
import { currentLogin, keepLogin } from '#shared/engine/login/browser-sessions.ts';
import type { CompletedLogin } from '#shared/engine/login/login-step.ts';
import type { ServiceProvider } from '#shared/model/configuration/service-provider.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';
import { samlRefusals } from '#shared/model/refusals/families/saml.ts';
import { formatFor } from '#shared/model/saml-rules/name-id.ts';
import { unspecifiedFormat } from '#shared/protocol/saml/name-formats.ts';
import { Hidden } from '#shared/web/pages/components/field.tsx';
import { OwnForm } from '#shared/web/pages/components/own-link.tsx';
import { Monogram } from '#shared/web/pages/components/persona-picker.tsx';
import type { ShownStep } from '#shared/web/pages/login/login-screens.tsx';
import { loginStepReply } from '#shared/web/pages/login/login-step-reply.ts';
import { renderLoginPage } from '#shared/web/pages/login-page.tsx';
import { page } from '#shared/web/pages/page-reply.ts';
import { registeredAcsUrl } from '../registered-service-provider.ts';
import type { AnswerableRequest, Headers } from './answer-service-provider.ts';
import { requesterSentence } from './requester.tsx';
import { userNamed } from './sign-on.ts';
import { checkRelayState, SsoRefusedError, ssoRefused } from './sso-refused.ts';
import { succeed } from './succeed.ts';

export const idpInitiatedPath = '/saml/idp-initiated';

/** The target of a login here: a service provider with a RelayState, or the page that offers all of them. */
interface Destination {
  readonly sp: string | undefined;
  /** As sent. undefined: that of the registration. */
  readonly relayState: string | undefined;
}

const loginAuditedAs = { event_type: 'login', endpoint: idpInitiatedPath } as const;

const answeredSp = audited(
  { event_type: 'saml_request', endpoint: idpInitiatedPath },
  async (request, context, note) => {
    const destination = destinationOf(request);
    note.add({ details: { idp_initiated: true, sp_issuer: destination.sp ?? null } });
    try {
      const answerable = await answerableOf(destination, context);
      const format = formatFor(undefined, answerable.serviceProvider.name_id_format) ?? unspecifiedFormat;
      return await withLogin(destination, request, context, (user, login, headers) =>
        succeed({ answerable, context, note }, { user, login, format }, headers),
      );
    } catch (error) {
      if (!(error instanceof SsoRefusedError)) throw error;
      note.refused(error);
      throw pageOf('saml_login_begun_here', error);
    }
  },
);

export async function idpInitiated(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  if (request.method === 'POST') refuseCrossSite(request, context, 'login_for_application');
  if (request.method === 'POST' && request.form.has('cancel')) {
    return notStored({ status: 303, headers: { Location: context.path(idpInitiatedPath) }, body: '' });
  }
  const destination = destinationOf(request);
  if (destination.sp !== undefined) return answeredSp(request, context);
  return withLogin(destination, request, context, (user, _login, headers) => offer(user, context, headers));
}

export function destinationOf({ method, form, query }: ParsedRequest): Destination {
  const given = method === 'POST' ? form : query;
  return { sp: given.value('sp'), relayState: given.first('RelayState') };
}

/** @throws SsoRefusedError for one that is unknown, unwilling or nowhere to be answered (IDI-05). */
async function answerableOf(
  { sp = '', relayState }: Destination,
  { snapshot, store }: ProtocolContext,
): Promise<AnswerableRequest & { readonly serviceProvider: ServiceProvider }> {
  checkRelayState(relayState);
  const found = await findEffectiveServiceProvider(snapshot, store, sp);
  if (found === undefined) throw ssoRefused(samlRefusals.idp_initiated_unknown);
  const { serviceProvider } = found;
  if (!serviceProvider.idp_initiated) throw ssoRefused(samlRefusals.idp_initiated_unwanted);
  return {
    serviceProvider,
    acsUrl: registeredAcsUrl(serviceProvider, { acsUrl: undefined, acsIndex: undefined }),
    received: {
      id: undefined,
      issuer: serviceProvider.entity_id,
      attributeServiceIndex: undefined,
      message: { relayState: relayState ?? serviceProvider.relay_state },
    },
  };
}

type Go = (user: User, login: SessionLogin, headers: Headers) => Promise<Reply>;

/** Immediately from a session, else after a login on our page (IDI-02). */
async function withLogin(
  destination: Destination,
  request: ParsedRequest,
  context: ProtocolContext,
  go: Go,
): Promise<Reply> {
  if (request.method === 'POST' && loginFields.some((name) => request.form.has(name))) {
    return attempt(destination, request, context, go);
  }
  const loginHint = request.query.value('login_hint');
  const automatic = destination.sp === undefined ? undefined : await automaticUser(loginHint, context);
  if (automatic !== undefined) {
    const completed = completedAutomatically(automatic, context);
    const reply = await complete(completed, { auto_login: true }, request, context, go);
    if (reply !== undefined) return reply;
  }
  const login = await currentLogin(context);
  const user = login && (await userNamed(login.username, context));
  if (login !== undefined && user !== undefined) return go(user, login, {});
  const message = destination.sp === undefined ? undefined : await missingAutomaticUser(context);
  return showStep({ ...initialStep(context, loginHint), message }, destination, context);
}

async function attempt(
  destination: Destination,
  request: ParsedRequest,
  context: ProtocolContext,
  go: Go,
): Promise<Reply> {
  const step = await attemptLogin(request.form, context, {
    surface: idpInitiatedPath,
    purpose: purposeOf(destination),
  });
  if (step.step !== 'completed') {
    const note = new AuditNote();
    const { username, refused: failure } = step;
    if (failure !== undefined) note.refused(failure, { username });
    await note.write(loginAuditedAs, request, context);
    return showStep(step, destination, context);
  }
  return (await complete(step.login, {}, request, context, go)) ?? showStep(initialStep(context), destination, context);
}

/** undefined: the user was deleted meanwhile. */
async function complete(
  completed: CompletedLogin,
  details: Readonly<Record<string, unknown>>,
  request: ParsedRequest,
  context: ProtocolContext,
  go: Go,
): Promise<Reply | undefined> {
  const { username, method, authenticatedAt: at, claims } = completed;
  const user = await userNamed(username, context);
  if (user === undefined) return undefined;
  const note = new AuditNote();
  note.succeeded({ username, details });
  await note.write(loginAuditedAs, request, context);
  const { cookie, sid } = await keepLogin(completed, request, context);
  return go(user, { username, method, at, sid, claims }, { 'Set-Cookie': cookie });
}

/** A code screen for one service provider and RelayState does not complete a login for another (LOG-16, IDI-07). */
export function purposeOf({ sp, relayState }: Destination): string {
  return createHash('sha256')
    .update(JSON.stringify([sp ?? null, relayState ?? null]))
    .digest('base64url');
}

async function showStep(step: ShownStep, { sp, relayState }: Destination, context: ProtocolContext): Promise<Reply> {
  const hidden = [...field('sp', sp), ...field('RelayState', relayState)];
  const found = sp === undefined ? undefined : await findEffectiveServiceProvider(context.snapshot, context.store, sp);
  const lead =
    sp === undefined ? 'To choose an application' : requesterSentence(found?.serviceProvider.title ?? sp, '');
  const isBegunForOne = sp !== undefined;
  // Only the first screens have a link below them.
  const link = isBegunForOne ? { href: context.path(idpInitiatedPath), text: 'Cancel' } : undefined;
  const cancel =
    isBegunForOne && step.step !== 'first_factor'
      ? { action: idpInitiatedPath, hidden: [['cancel', '1']] as const }
      : undefined;
  return loginStepReply({ step, action: idpInitiatedPath, hidden, lead, link, cancel }, context);
}

function field(name: string, value: string | undefined): readonly (readonly [string, string])[] {
  return value === undefined ? [] : [[name, value]];
}

/** From this number on, the buttons are side by side. */
const sideBySideFrom = 7;

/** A button for each registered service provider that allows IdP-initiated login (IDI-06). */
async function offer(user: User, { snapshot, store, path }: ProtocolContext, headers: Headers): Promise<Reply> {
  const all = await effectiveServiceProviders(snapshot, store);
  const offered = all.map(({ serviceProvider }) => serviceProvider).filter((each) => each.idp_initiated);
  const text = renderLoginPage({
    path,
    title: 'Applications',
    heading: 'Choose an application',
    lead: (
      <>
        You are logged in as <bdi>{user.username}</bdi>
      </>
    ),
    wide: offered.length >= sideBySideFrom,
    children:
      offered.length === 0 ? (
        <p>No application supports a login that starts here.</p>
      ) : (
        <ul class="personas">
          {offered.map((each) => (
            <li key={each.entity_id}>
              <Application {...each} />
            </li>
          ))}
        </ul>
      ),
  });
  return withHeaders(notStored(page(200, text)), headers);
}

function Application({ entity_id, title }: Pick<ServiceProvider, 'entity_id' | 'title'>) {
  return (
    <OwnForm method="get" action={idpInitiatedPath} class="application">
      <Hidden name="sp" value={entity_id} />
      <button type="submit" class="persona">
        <Monogram name={title ?? withoutScheme(entity_id)} />
        <span class="persona-text">
          <span class="persona-name">
            <bdi>{title ?? entity_id}</bdi>
          </span>
          {title !== undefined && (
            <span class="persona-roles">
              <bdi>{entity_id}</bdi>
            </span>
          )}
        </span>
      </button>
    </OwnForm>
  );
}

/** Addresses differ only after their scheme. */
function withoutScheme(entityId: string): string {
  return entityId.replace(/^(https?:\/\/|urn:)/, '');
}
