// The form of requests of any kind (VER-K29 to VER-K33).
import type { KeptExchange, NamedText, RecordedEndpoint } from '#shared/model/domain/exchange.ts';
import { oidcLogout, rfc } from '#shared/model/refusals/references.ts';
import { namesIn, oauthParameters } from '#shared/protocol/oauth2/parameters.ts';
import {
  authorizationRequests,
  backChannel,
  type ClientHistory,
  header,
  ofEndpoints,
  parameter,
  partsOf,
  shown,
  tokenRequests,
} from '../client-history.ts';
import { occasionsAt, type VerdictRule } from '../verdict-rule.ts';

const repeatable: ReadonlySet<string> = new Set(namesIn(oauthParameters, (row) => row.isRepeatable === true));

/** Endpoints that may respond with a JWT if the client requests one (OIDC Core §5.3.2, RFC 9701). */
const signed: ReadonlySet<RecordedEndpoint> = new Set(['userinfo', 'introspect'] as const);

export const requestRules: readonly VerdictRule[] = [
  {
    clause: 'VER-K29',
    id: 'resource_missing',
    severity: 'warning',
    title: 'MCP client without resource',
    standard: { ...rfc(8707, '2'), reference: 'RFC 8707 §2, MCP authorization' },
    remedy: 'Send the address of the MCP server as resource, to /authorize and to /token.',
    occasions: occasionsAt(requestsOfMcp, (request) =>
      parameter(request, 'resource') === undefined
        ? { detail: `The request to ${request.path} names no resource.` }
        : undefined,
    ),
  },
  {
    clause: 'VER-K30',
    id: 'accept_refuses_json',
    severity: 'warning',
    title: 'Accept without JSON',
    standard: rfc(9110, '12.5.1'),
    remedy: 'Send Accept: application/json, or no Accept header. The responses are JSON.',
    occasions: occasionsAt(ofEndpoints(...backChannel), (request) => {
      const accept = header(request, 'accept');
      return accept === undefined || takesJson(accept, signed.has(request.endpoint))
        ? undefined
        : { detail: `The request to ${request.path} has Accept: ${shown(accept)}.` };
    }),
  },
  {
    clause: 'VER-K31',
    id: 'content_type_wrong',
    severity: 'error',
    title: 'Token request without a form body',
    standard: rfc(6749, '4.1.3'),
    remedy: 'Send the parameters as application/x-www-form-urlencoded, not as JSON.',
    occasions: occasionsAt(tokenRequests, (request) => {
      const type = header(request, 'content-type');
      const mediaType = type?.split(';', 1)[0]?.trim().toLowerCase();
      if (mediaType === 'application/x-www-form-urlencoded') return undefined;
      return {
        detail: `A POST to /token has ${type === undefined ? 'no Content-Type' : `Content-Type: ${shown(type)}`}.`,
      };
    }),
  },
  {
    clause: 'VER-K32',
    id: 'parameter_repeated',
    severity: 'error',
    title: 'Parameter sent twice',
    standard: rfc(6749, '3.2'),
    remedy: 'Send each parameter once.',
    occasions: occasionsAt(
      (history) => [
        ...authorizationRequests(history),
        ...ofEndpoints('token', 'introspect', 'revoke', 'device_authorization')(history),
      ],
      (request) => {
        const { query, body } = partsOf(request);
        // What a browser posts to /authorize comes from this server's own page.
        const inBoth = request.endpoint === 'authorize' ? [] : query.filter((one) => body.some(isNamedLike(one)));
        const doubled = new Set([...doubledIn(query), ...doubledIn(body), ...inBoth.map(({ name }) => name)]);
        if (query.length === 0 && body.length === 0) return 'none';
        return doubled.size === 0
          ? undefined
          : { detail: `The request to ${request.path} has ${[...doubled].map(shown).join(', ')} more than once.` };
      },
    ),
  },
  {
    clause: 'VER-K33',
    id: 'hint_missing_at_logout',
    severity: 'advice',
    title: 'Logout with a redirect but without id_token_hint',
    standard: oidcLogout('2'),
    remedy: 'Store the ID token of the login, and send it as id_token_hint.',
    occasions: occasionsAt(ofEndpoints('logout'), (request) => {
      if (parameter(request, 'post_logout_redirect_uri') === undefined) return 'none';
      return parameter(request, 'id_token_hint') === undefined
        ? { detail: 'The logout request has post_logout_redirect_uri but no id_token_hint.' }
        : undefined;
    }),
  },
];

/**
 * Requests of a client that is registered by document, and of a flow that names a resource elsewhere. A `resource` in
 * another flow does not count: a client may use one flow for logins and another one to call an API.
 */
function requestsOfMcp(history: ClientHistory): readonly KeptExchange[] {
  const named = history.exchanges.filter(
    (one) => one.endpoint !== 'register' && parameter(one, 'resource') !== undefined,
  );
  const flows = new Set(named.map(({ flow }) => flow));
  return [...authorizationRequests(history), ...tokenRequests(history)].filter(
    ({ flow }) => history.client?.isDocument === true || flows.has(flow),
  );
}

/** RFC 9110 §12.5.1: the most specific range for a type counts, and weight 0 excludes it. */
function takesJson(accept: string, isSigned: boolean): boolean {
  const weights = new Map<string, number>();
  for (const part of accept.split(',')) {
    const [range = '', ...members] = part.split(';').map((text) => text.trim().toLowerCase());
    const weight = members.flatMap((member) => /^q=([0-9.]+)$/.exec(member)?.[1] ?? [])[0];
    if (range !== '') weights.set(range, Math.max(weights.get(range) ?? 0, weight === undefined ? 1 : Number(weight)));
  }
  if (weights.size === 0) return true;
  // Key sets, signed UserInfo and introspection have types of their own, and these names are accepted too.
  const types = isSigned ? /^application\/([a-z-]+\+)?(json|jwt)$/ : /^application\/([a-z-]+\+)?json$/;
  const own = [...weights].some(([range, weight]) => weight > 0 && types.test(range));
  const exact = weights.get('application/json');
  return own || (exact ?? weights.get('application/*') ?? weights.get('*/*') ?? 0) > 0;
}

function isNamedLike({ name }: NamedText): (other: NamedText) => boolean {
  return (other) => other.name === name && !repeatable.has(name);
}

function doubledIn(parameters: KeptExchange['content']['parameters']): readonly string[] {
  const names = parameters.map(({ name }) => name);
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index && !repeatable.has(name)))];
}
