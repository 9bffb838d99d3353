// What a request says, or is about, read before its endpoint does anything: nothing is spent by looking (FLT-05, FLT-19).
// Nobody is authenticated here. Whatever a stranger claims can make a fault fire on his own request, and nothing else.

import { mayGoOnUnnamed } from '#shared/domain/authorization-transaction.ts';
import type { FaultEndpoint } from '#shared/domain/fault.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import { decodeToken } from '#shared/issuing/verify-token.ts';
import { currentLogin } from '#shared/login/browser-sessions.ts';
import { basicCredentials, bearerCredentials } from '#shared/protocol/oauth2/authorization-header.ts';
import { parseScope } from '#shared/protocol/oauth2/scope.ts';
import { normalizeUserCode } from '#shared/protocol/oauth2/user-code.ts';
import type { RequestFacts } from './fault-row.ts';

/** What a service reads of its own requests: the SAML one knows who asks. */
export type ReadFacts = (request: ParsedRequest, context: RequestContext) => Promise<RequestFacts>;

type Asked = Pick<ParsedRequest, 'method' | 'query' | 'form' | 'headers' | 'pathParameters'>;

export async function factsOf(endpoint: FaultEndpoint, request: Asked, context: RequestContext): Promise<RequestFacts> {
  const looked = await lookers[endpoint]?.(request, context);
  const { query, form } = request;
  const credentials = basicCredentials(request.headers.authorization);
  const claimed = form.value('client_id') ?? query.value('client_id');
  const client_id =
    claimed ?? (credentials.kind === 'credentials' ? credentials.user || undefined : undefined) ?? looked?.client_id;
  const scope = looked?.scope ?? requestedScope(request);
  const client_secret =
    form.value('client_secret') ?? (credentials.kind === 'credentials' ? credentials.password || undefined : undefined);
  return { ...looked, client_id, client_secret, scope, grant_type: form.value('grant_type') };
}

type Look = (request: Asked, context: RequestContext) => Promise<RequestFacts>;

const lookers: Partial<Record<FaultEndpoint, Look>> = {
  authorize: atAuthorize,
  token: atToken,
  userinfo: async ({ headers, form }) => {
    const bearer = bearerCredentials(headers.authorization);
    const presented = bearer.kind === 'token' ? bearer.token : form.value('access_token');
    return ofToken(presented);
  },
  introspect: async ({ form }) => withoutClient(ofToken(form.value('token'))),
  revoke: async ({ form }) => withoutClient(ofToken(form.value('token'))),
  register: async ({ pathParameters }) => ({ client_id: pathParameters.client_id }),
  device: atDevice,
  logout: atLogout,
};

function requestedScope({ query, form }: Asked): readonly string[] | undefined {
  const asked = form.value('scope') ?? query.value('scope');
  return asked === undefined ? undefined : parseScope(asked);
}

async function atAuthorize({ query, form }: Asked, context: RequestContext): Promise<RequestFacts> {
  const { store, clock } = context;
  const { browser, presented } = await context.session();
  const username = typedName(form) ?? query.value('login_hint');
  if (!presented) return { username };
  const now = clock.now();
  const named = form.value('transaction_id');
  const transaction =
    named === undefined
      ? query.value('client_id') === undefined
        ? mayGoOnUnnamed(await store.transactions.pendingOf(browser, now))[0]
        : undefined
      : await store.transactions.find(named, browser, now);
  if (transaction === undefined) return { username };
  const purpose = transaction.transaction_id;
  const pending = await store.secondFactors.find({ id: purpose, browser, surface: '/authorize', purpose }, now);
  const { client_id, scope } = transaction.request;
  return { username: pending?.username ?? username, client_id, scope };
}

async function atToken({ form }: Asked, { store, clock }: RequestContext): Promise<RequestFacts> {
  const now = clock.now();
  switch (form.value('grant_type')) {
    case 'authorization_code': {
      const code = form.value('code');
      const found = code === undefined ? undefined : await store.codes.find(code, now);
      return found === undefined ? {} : { username: found.username, scope: found.unused?.request.scope };
    }
    case 'urn:ietf:params:oauth:grant-type:device_code': {
      const code = form.value('device_code');
      const grant = code === undefined ? undefined : await store.deviceGrants.findByDeviceCode(code, now);
      if (grant === undefined) return {};
      const { decision, scope } = grant;
      return { username: 'username' in decision ? decision.username : undefined, scope };
    }
    case 'refresh_token':
      return { ...ofToken(form.value('refresh_token')), refresh_token: form.value('refresh_token') };
    case 'password':
      return { username: form.value('username') };
    default:
      return {};
  }
}

async function atDevice({ query, form }: Asked, { store, clock }: RequestContext): Promise<RequestFacts> {
  const userCode = form.value('user_code') ?? query.value('user_code');
  const grant =
    userCode === undefined
      ? undefined
      : await store.deviceGrants.findByUserCode(normalizeUserCode(userCode), clock.now());
  return { username: typedName(form), client_id: grant?.client_id, scope: grant?.scope };
}

async function atLogout({ query, form }: Asked, context: RequestContext): Promise<RequestFacts> {
  const logoutId = form.value('logout_id');
  if (logoutId !== undefined) return ofConfirmation(logoutId, context);
  const { username, client_id } = ofToken(form.value('id_token_hint') ?? query.value('id_token_hint'));
  const login = await currentLogin(context);
  return { username: login?.username ?? username, client_id };
}

/** What was asked for when the page was shown that is answered now. */
async function ofConfirmation(logoutId: string, context: RequestContext): Promise<RequestFacts> {
  const { browser } = await context.session();
  const asked = await context.store.logoutConfirmations.find(logoutId, browser, context.clock.now());
  const login = await currentLogin(context);
  return { username: login?.username, client_id: asked?.request.clientId };
}

function typedName(form: Asked['form']): string | undefined {
  return form.value('username')?.trim();
}

/** What a token says of itself, verified or not. */
function ofToken(token: string | undefined): RequestFacts {
  const claims = token === undefined ? undefined : decodeToken(token)?.payload;
  if (claims === undefined) return {};
  const { sub, scope } = claims;
  const client_id = text(claims.client_id) ?? text(claims.azp) ?? text(claims.aud);
  return {
    client_id,
    username: sub === client_id ? undefined : text(sub),
    scope: typeof scope === 'string' ? parseScope(scope) : undefined,
  };
}

/** Who asks is another than whom the token was issued to. */
function withoutClient({ username, scope }: RequestFacts): RequestFacts {
  return { username, scope };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
