// Rejections by the REST API that have no separate family.
import { tokenLifetimeMinutes } from '#shared/model/configuration/settings/oauth.ts';
import { localNamesDescribed } from '#shared/protocol/local-names.ts';
import { declareApiRefusals, inRestApi } from '../api-refusal.ts';

const { least, most } = tokenLifetimeMinutes;

export const managementRefusals = declareApiRefusals({
  session_not_found: {
    ...inRestApi,
    status: 404,
    kind: 'not_found',
    answer: 'There is no session of that sid.',
    expected: 'The sid of a session that GET /api/sessions lists.',
  },
  removal_filter_wrong: {
    ...inRestApi,
    status: 400,
    kind: 'invalid',
    answer: ({ problem }: { problem: string }) => `Nothing was removed: ${problem}; without any filter all of them go.`,
    expected: 'The parameters that the operation declares, each with a value, or no query.',
  },
  // every path
  host_not_allowed: {
    ...inRestApi,
    status: 421,
    kind: 'host_not_allowed',
    answer:
      'The server is bound to loopback, and the Host of this request is none of its own names. Ask at localhost, or add the name to server.allowed_hosts in settings.yaml.',
    expected: 'A loopback name, the host of oauth.issuer or oauth.issuer_allowlist, or one of server.allowed_hosts.',
  },
  host_of_a_website: {
    ...inRestApi,
    status: 421,
    kind: 'host_not_allowed',
    answer: ({ header }: { header: string }) =>
      `The server is bound to more than loopback and has no management secret, and the ${header} of this request could be the name of a website. Use ${localNamesDescribed}. Or add the name to server.allowed_hosts in settings.yaml, or set management_secret.`,
    expected: `A Host that is ${localNamesDescribed}. Or a Host that oauth.issuer, oauth.issuer_allowlist or server.allowed_hosts names. With management_secret any Host.`,
  },
  // /api/cluster
  store_on_one_machine: {
    ...inRestApi,
    status: 404,
    kind: 'not_found',
    answer: ({ store }: { store: string }) =>
      `The state lies in runtime.store ${store}, on this machine alone: there is no cluster to tell of.`,
    expected: 'A server with runtime.store postgres.',
  },
  // every write
  write_from_another_site: {
    ...inRestApi,
    status: 403,
    answer: 'A write from another site is refused. Send it from the same origin or from a program.',
    expected: 'A write of this origin, or of a program that sends no Origin.',
  },
  management_secret_wrong: {
    ...inRestApi,
    status: 401,
    answer: ({ header }: { header: string }) => `Writing needs the header ${header} with the management secret.`,
    expected: 'The management secret in the header X-Management-Secret.',
  },
  body_not_json: {
    ...inRestApi,
    status: 400,
    kind: 'invalid',
    answer: 'The request body is not well-formed JSON in UTF-8.',
    expected: 'A body of well-formed JSON in UTF-8, without halves of surrogate pairs, or none.',
  },
  // /api/service-providers/check
  service_provider_check_invalid: {
    ...inRestApi,
    status: 400,
    kind: 'invalid',
    answer: 'The body must be {"metadata": "<xml text>"} or {"url": "<address>"}.',
    expected: 'Exactly one of metadata and url, as text.',
  },
  metadata_not_fetched: {
    ...inRestApi,
    status: 400,
    kind: 'not_fetched',
    answer: ({ reason }: { reason: string }) => `The metadata cannot be fetched: ${reason}.`,
    expected:
      'An address at a host of oauth.client_fetch, or on loopback while the server itself is bound to loopback, that answers at most 1 MiB within 5 seconds, without redirect to another host.',
  },
  // /api/users and their tokens
  user_not_found: {
    ...inRestApi,
    status: 404,
    answer: 'There is no user with that name.',
    expected: 'The name of a user there is.',
  },
  token_request_not_an_object: {
    ...inRestApi,
    status: 400,
    answer: 'The request body must be a JSON object whose members are options of the token.',
    expected:
      'A JSON object with exp_minutes or exp_seconds, nbf, client_id, extra, scope and resource, each of them optional, or no body.',
  },
  token_lifetime_wrong: {
    ...inRestApi,
    status: 400,
    answer: `exp_minutes must be an integer from ${least} to ${most}, or from -${most} to -${least} for a token that has expired.`,
    expected: `A whole number of minutes from ${least} to ${most}, or from -${most} to -${least}.`,
  },
  token_seconds_wrong: {
    ...inRestApi,
    status: 400,
    answer: `exp_seconds must be an integer from 1 to ${most * 60}, or from -${most * 60} to -1 for a token that has expired, and excludes exp_minutes.`,
    expected: `A whole number of seconds from 1 to ${most * 60}, or from -${most * 60} to -1, and no exp_minutes beside it.`,
  },
  token_not_before_wrong: {
    ...inRestApi,
    status: 400,
    answer: 'nbf must be a whole number of seconds since 1970-01-01T00:00:00Z.',
    expected: 'A NumericDate in whole seconds (RFC 7519 §2), or none.',
  },
  token_client_not_a_text: {
    ...inRestApi,
    status: 400,
    answer: 'client_id must be a text.',
    expected: 'The client_id of a client there is, or none.',
  },
  token_extra_not_an_object: {
    ...inRestApi,
    status: 400,
    answer: 'extra must be a JSON object whose members are the claims to add.',
    expected: 'A JSON object of claims, or none.',
  },
  token_scope_not_a_text: {
    ...inRestApi,
    status: 400,
    answer: 'scope must be a text: names separated by spaces.',
    expected: 'Names of scopes separated by spaces, or none.',
  },
  token_resource_not_a_text: {
    ...inRestApi,
    status: 400,
    answer: 'resource must be a text or a list of texts.',
    expected: 'One resource or a list of them, or none.',
  },
  token_client_unknown: {
    ...inRestApi,
    status: 400,
    answer: 'client_id names no client.',
    expected: 'The client_id of a client there is, or none.',
  },
  // POST /api/clients/{client_id}/token
  client_token_client_unknown: {
    ...inRestApi,
    status: 404,
    answer: 'There is no client of that name.',
    expected: 'The client_id of a client there is.',
  },
  // /api/clock
  clock_move_invalid: {
    ...inRestApi,
    status: 400,
    kind: 'invalid',
    answer: ({ problem }: { problem: string }) => `The clock cannot be moved like that: ${problem}.`,
    expected:
      'A JSON object with one at most of offset_seconds, advance_seconds and at, and frozen; at least one member in all.',
  },
  clock_out_of_range: {
    ...inRestApi,
    status: 400,
    kind: 'out_of_range',
    answer: 'The clock stays from 2000-01-01T00:00:00Z to 2099-12-31T23:59:59Z; it was not moved.',
    expected: 'A move that ends within these bounds.',
  },
  // /api/audit
  audit_limit_wrong: {
    ...inRestApi,
    status: 400,
    answer: 'limit must be an integer: the number of newest entries, or a negative number for all.',
    expected: 'A whole number, or none.',
  },
});
