// The facts of a request, read before its endpoint runs. Reading them consumes nothing (FLT-05, FLT-19). No client is
// authenticated here. A false claim of a sender can only make a fault fire on the sender's own request.

import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { currentLogin } from '#shared/engine/login/browser-sessions.ts';
import type { FaultEndpoint } from '#shared/model/domain/fault.ts';
import { clientOfAssertion } from '#shared/model/oauth-rules/client-assertion.ts';
import { parseScope } from '#shared/model/oauth-rules/scope.ts';
import { basicCredentials, tokenCredentials } from '#shared/protocol/oauth2/authorization-header.ts';
import { normalizeUserCode } from '#shared/protocol/oauth2/user-code.ts';
import { atAuthorize } from './authorize-facts.ts';
import type { RequestFacts } from './fault-row.ts';
import { ofToken } from './token-facts.ts';
import { typedIn } from './typed-in.ts';

/** Reads the facts that a service knows of its own requests: the SAML service knows the sender. */
export type ReadFacts = (request: ParsedRequest, context: ProtocolContext) => Promise<RequestFacts>;

type Asked = Pick<ParsedRequest, 'method' | 'query' | 'form' | 'headers' | 'pathParameters'>;

/** `readFacts`: of the service, where it knows more than the request contains. */
export async function factsOf(
  endpoint: FaultEndpoint,
  request: ParsedRequest,
  context: ProtocolContext,
  readFacts: ReadFacts | undefined,
): Promise<RequestFacts> {
  const looked = { ...(await factReaders[endpoint]?.(request, context)), ...(await readFacts?.(request, context)) };
  const { query, form } = request;
  const credentials = basicCredentials(request.headers.authorization);
  const claimed =
    form.value('client_id') ?? query.value('client_id') ?? clientOfAssertion(form.value('client_assertion'));
  const client_id =
    claimed ?? (credentials.kind === 'credentials' ? credentials.user || undefined : undefined) ?? looked.client_id;
  const scope = looked.scope ?? requestedScope(request);
  const client_secret =
    form.value('client_secret') ?? (credentials.kind === 'credentials' ? credentials.password || undefined : undefined);
  return { ...looked, client_id, client_secret, scope, grant_type: form.value('grant_type') };
}

type Look = (request: Asked, context: ProtocolContext) => Promise<RequestFacts>;

const factReaders: Partial<Record<FaultEndpoint, Look>> = {
  authorize: atAuthorize,
  userinfo: async ({ headers, form }) => {
    const shown = tokenCredentials(headers.authorization);
    const presented = shown.kind === 'token' ? shown.token : form.value('access_token');
    return ofToken(presented);
  },
  introspect: async ({ form }) => withoutClient(ofToken(form.value('token'))),
  revoke: async ({ form }) => withoutClient(ofToken(form.value('token'))),
  register: async ({ pathParameters }) => ({ client_id: pathParameters.client_id }),
  device: atDevice,
  logout: atLogout,
};

function requestedScope({ query, form }: Asked): readonly string[] | undefined {
  const confirmation = form.value('scope') ?? query.value('scope');
  return confirmation === undefined ? undefined : parseScope(confirmation);
}

async function atDevice({ query, form }: Asked, context: ProtocolContext): Promise<RequestFacts> {
  const userCode = normalizeUserCode(form.value('user_code') ?? query.value('user_code') ?? '');
  const grant = await context.store.deviceGrants.findByUserCode(userCode, context.clock.now());
  const username = (await typedIn(form.value('username'), context)) ?? (await pendingAt(userCode, form, context));
  return { username, client_id: grant?.client_id, scope: grant?.scope };
}

/** The user whose second factor is pending. */
async function pendingAt(userCode: string, form: Asked['form'], context: ProtocolContext): Promise<string | undefined> {
  const id = form.value('pending_second_factor');
  if (id === undefined) return undefined;
  const { browser } = await context.session();
  const key = { id, browser, surface: '/device', purpose: userCode } as const;
  return (await context.store.secondFactors.find(key, context.clock.now()))?.username;
}

async function atLogout({ query, form }: Asked, context: ProtocolContext): Promise<RequestFacts> {
  const logoutId = form.value('logout_id');
  if (logoutId !== undefined) return ofConfirmation(logoutId, context);
  const { username, client_id } = ofToken(form.value('id_token_hint') ?? query.value('id_token_hint'));
  const login = await currentLogin(context);
  return { username: login?.username ?? username, client_id };
}

/** What was requested when the page was shown that this request submits. */
async function ofConfirmation(logoutId: string, context: ProtocolContext): Promise<RequestFacts> {
  const { browser } = await context.session();
  const scope = await context.store.logoutConfirmations.find(logoutId, browser, context.clock.now());
  const login = await currentLogin(context);
  return { username: login?.username, client_id: scope?.request.clientId };
}

/** Without the client: the caller may differ from the client that the token was issued to. */
function withoutClient({ username, scope }: RequestFacts): RequestFacts {
  return { username, scope };
}
