// Rejections by the REST API that have no separate family.
import { tokenLifetimeMinutes } from '#shared/model/configuration/settings/token-lifetimes.ts';
import { localNamesDescribed } from '#shared/protocol/local-names.ts';
import { declareApiRefusals, inRestApi } from '../api-refusal.ts';
import { invalid, notFound } from '../wordings.ts';

const { least, most } = tokenLifetimeMinutes;

export const managementRefusals = declareApiRefusals({
  session_not_found: {
    ...inRestApi,
    status: 404,
    kind: 'not_found',
    answer: notFound('session'),
    expected: 'The sid of a session that GET /api/sessions lists.',
  },
  removal_filter_wrong: {
    ...inRestApi,
    status: 400,
    kind: 'invalid',
    answer: ({ problem }: { problem: string }) =>
      `${problem} Nothing was deleted. A request without filters deletes all.`,
    expected: 'The query parameters of the operation, each with a value, or no query.',
  },
  query_parameter_wrong: {
    ...inRestApi,
    status: 400,
    kind: 'invalid',
    answer: ({ problem }: { problem: string }) => problem,
    expected: 'Only query parameters of the operation, each of them once.',
  },
  body_member_unknown: {
    ...inRestApi,
    status: 400,
    kind: 'invalid',
    answer: ({ problem }: { problem: string }) => problem,
    expected: 'A JSON object with only the fields of the operation.',
  },
  // every path
  host_not_allowed: {
    ...inRestApi,
    status: 421,
    kind: 'host_not_allowed',
    answer:
      'The server is bound to loopback, and the Host of this request is not one of its names. Use localhost, or add the name to server.allowed_hosts in settings.yaml.',
    expected:
      'A loopback name, the host of oauth.issuer, oauth.base_url or oauth.issuer_allowlist, or one of server.allowed_hosts.',
  },
  host_of_a_website: {
    ...inRestApi,
    status: 421,
    kind: 'host_not_allowed',
    answer: ({ header }: { header: string }) =>
      `The ${header} of this request could be the name of a website, and this server is bound beyond loopback without a management secret. Use ${localNamesDescribed}. Or add the name to server.allowed_hosts in settings.yaml, or set management_secret.`,
    expected: `A Host that is ${localNamesDescribed}, or that oauth.issuer, oauth.base_url, oauth.issuer_allowlist or server.allowed_hosts names. With management_secret: any Host.`,
  },
  // /api/cluster
  store_on_one_machine: {
    ...inRestApi,
    status: 404,
    kind: 'not_found',
    answer: ({ store }: { store: string }) =>
      `This server is not in a cluster: with runtime.store ${store} the state is on this machine only.`,
    expected: 'A server with runtime.store postgres.',
  },
  // every write
  write_from_another_site: {
    ...inRestApi,
    status: 403,
    answer: 'Writes from another site are rejected. Send the request from the same origin or from a program.',
    expected: 'A write from this origin, or from a program that sends no Origin.',
  },
  management_secret_wrong: {
    ...inRestApi,
    status: 401,
    answer: ({ header }: { header: string }) =>
      `The management secret is missing or wrong. Send it in the header ${header}.`,
    expected: 'The management secret in the header X-Management-Secret.',
  },
  body_not_json: {
    ...inRestApi,
    status: 400,
    kind: 'invalid',
    answer: 'The request body is not well-formed JSON in UTF-8.',
    expected: 'A body of well-formed JSON in UTF-8, without unpaired surrogates, or no body.',
  },
  // /api/service-providers/check
  service_provider_check_invalid: {
    ...inRestApi,
    status: 400,
    kind: 'invalid',
    answer: 'The body must be {"metadata": "<xml text>"} or {"url": "<address>"}.',
    expected: 'Exactly one of metadata and url, as a string.',
  },
  metadata_not_fetched: {
    ...inRestApi,
    status: 400,
    kind: 'not_fetched',
    answer: ({ reason }: { reason: string }) => `The metadata cannot be fetched: ${reason}.`,
    expected:
      'A URL at a host of oauth.client_fetch, or on loopback while the server is bound to loopback. It returns at most 1 MiB within 5 seconds and does not redirect to another host.',
  },
  // /api/users and their tokens
  user_not_found: {
    ...inRestApi,
    status: 404,
    answer: notFound('user'),
    expected: 'The name of an existing user.',
  },
  token_request_not_an_object: {
    ...inRestApi,
    status: 400,
    answer: 'The body must be a JSON object with the fields of a token request.',
    expected:
      'A JSON object with any of exp_minutes or exp_seconds, nbf, client_id, extra, scope, resource, audience, set_claims, remove_claims and id_token, or no body.',
  },
  token_lifetime_wrong: {
    ...inRestApi,
    status: 400,
    answer: `exp_minutes must be a whole number from ${least} to ${most}, or from -${most} to -${least} for an expired token.`,
    expected: `A whole number of minutes from ${least} to ${most}, or from -${most} to -${least}.`,
  },
  token_seconds_wrong: {
    ...inRestApi,
    status: 400,
    answer: `exp_seconds must be a whole number from 1 to ${most * 60}, or from -${most * 60} to -1 for an expired token. Do not combine it with exp_minutes.`,
    expected: `A whole number of seconds from 1 to ${most * 60}, or from -${most * 60} to -1, without exp_minutes.`,
  },
  token_not_before_wrong: {
    ...inRestApi,
    status: 400,
    answer: 'nbf must be a whole number of seconds since 1970-01-01T00:00:00Z.',
    expected: 'A NumericDate in whole seconds (RFC 7519 §2), or no nbf.',
  },
  token_client_not_a_text: {
    ...inRestApi,
    status: 400,
    answer: 'client_id must be a string.',
    expected: 'The client_id of an existing client, or no client_id.',
  },
  token_extra_not_an_object: {
    ...inRestApi,
    status: 400,
    answer: 'extra must be a JSON object with the claims to add.',
    expected: 'A JSON object of claims, or no extra.',
  },
  token_scope_not_a_text: {
    ...inRestApi,
    status: 400,
    answer: 'scope must be a string: names separated by spaces.',
    expected: 'Names of scopes separated by spaces, or no scope.',
  },
  token_resource_not_a_text: {
    ...inRestApi,
    status: 400,
    answer: 'resource must be a string or a list of strings.',
    expected: 'One resource, a list of resources, or no resource.',
  },
  token_client_unknown: {
    ...inRestApi,
    status: 400,
    answer: 'The client in client_id does not exist.',
    expected: 'The client_id of an existing client, or no client_id.',
  },
  token_claim_changes_wrong: {
    ...inRestApi,
    status: 400,
    kind: 'invalid',
    answer: ({ problem }: { problem: string }) => problem,
    expected:
      'set_claims and remove_claims with different names, audience without resource, and id_token with the scope openid.',
  },
  // POST /api/clients/{client_id}/token
  client_token_client_unknown: {
    ...inRestApi,
    status: 404,
    answer: notFound('client'),
    expected: 'The client_id of an existing client.',
  },
  // /api/clock
  clock_move_invalid: {
    ...inRestApi,
    status: 400,
    kind: 'invalid',
    answer: ({ problem }: { problem: string }) => invalid('clock move', problem),
    expected:
      'A JSON object with at most one of offset_seconds, advance_seconds and at, and optionally frozen. It has at least one field.',
  },
  clock_out_of_range: {
    ...inRestApi,
    status: 400,
    kind: 'out_of_range',
    answer: 'The clock was not moved. It must be between 2000-01-01T00:00:00Z and 2099-12-31T23:59:59Z.',
    expected: 'A move to an instant between 2000-01-01T00:00:00Z and 2099-12-31T23:59:59Z.',
  },
  // /api/audit
  audit_limit_wrong: {
    ...inRestApi,
    status: 400,
    answer: 'limit must be a whole number: the number of newest entries, or a negative number for all.',
    expected: 'A whole number, or no limit.',
  },
});
