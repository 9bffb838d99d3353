// Section VER: the verdict on the client, and its rules.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  {
    id: 'VER-01',
    says: 'GET /api/verdict with client_id, sp (SAML Issuer) or flow, and optionally after, answers 200 subject, status, findings, clean and not_observed (rule ids), and exchanges (number judged); with none of the three it judges every client seen and answers {verdicts}.',
  },
  {
    id: 'VER-02',
    says: 'A finding has id, severity (error, warning, advice), title, standard, detail, remedy, count and evidence, the ids of at least one and at most 20 kept exchanges that show it.',
  },
  {
    id: 'VER-03',
    says: 'status is nothing_seen without an exchange, error, warning or advice by the worst finding, else clean.',
  },
  {
    id: 'VER-04',
    says: 'Each rule of VER-K stands in exactly one of findings, clean (there was occasion and it was kept) and not_observed (no occasion).',
  },
  { id: 'VER-05', says: 'The same exchanges give the same verdict, findings ordered by severity and then id.' },
  {
    id: 'VER-06',
    says: 'An exchange on which a fault fired, and what the client did later in that flow, is evidence against nobody.',
  },
  {
    id: 'VER-07',
    says: 'A code flow of openid-client 6 with PKCE, state and nonce over its documented calls, with refresh and userinfo, gives no error and no warning.',
  },
  {
    id: 'VER-08',
    says: 'format is json (default), text, junit or sarif; another value answers 400 with kind invalid.',
  },
  {
    id: 'VER-09',
    says: 'junit is a JUnit XML suite with one test case a rule: failed for error and warning, skipped for not_observed.',
  },
  {
    id: 'VER-10',
    says: 'sarif is a SARIF 2.1.0 log with one rule for each of VER-K and one result a finding at level error, warning or note.',
  },
  {
    id: 'VER-11',
    says: 'With fail_on=error, warning or advice a verdict that bad or worse, and nothing_seen, answers 409 with the same body.',
  },
  {
    id: 'VER-12',
    says: 'The page /verdict shows it for a client with links to the evidence, and the tool get_verdict answers the JSON.',
  },
  {
    id: 'VER-13',
    says: 'Each rule of VER-K and SHV is found by a client that does what its column says and is clean for one that had the occasion and did not.',
  },
  {
    id: 'VER-K01',
    says: 'pkce_missing (error): an authorization request without code_challenge; warning for a confidential client that sends nonce',
  },
  { id: 'VER-K02', says: 'pkce_plain (error): code_challenge_method plain or omitted beside a challenge' },
  { id: 'VER-K03', says: 'pkce_challenge_repeated (error): one code_challenge in two transactions' },
  {
    id: 'VER-K04',
    says: 'verifier_short (warning): a code_verifier outside 43 to 128 characters or of other characters',
  },
  { id: 'VER-K05', says: 'state_missing (error): no state; warning where PKCE with S256 was sent' },
  { id: 'VER-K06', says: 'state_repeated (error): one state in two transactions' },
  { id: 'VER-K07', says: 'state_short (warning): a state of fewer than 16 characters' },
  { id: 'VER-K08', says: 'nonce_missing (warning): scope openid without nonce' },
  { id: 'VER-K09', says: 'nonce_repeated (error): one nonce in two transactions' },
  {
    id: 'VER-K10',
    says: 'scope_openid_missing (advice): OpenID Connect parameters (nonce, claims, max_age, login_hint) without scope openid',
  },
  { id: 'VER-K11', says: 'redirect_uri_http (error): a redirect_uri with http on a host that is not loopback' },
  { id: 'VER-K12', says: 'redirect_uri_localhost (advice): localhost in place of the loopback address' },
  { id: 'VER-K13', says: 'redirect_uri_fragment (error): a redirect_uri with a fragment' },
  { id: 'VER-K14', says: 'redirect_uri_mismatch (error): another redirect_uri at /token than at /authorize' },
  { id: 'VER-K15', says: 'secret_in_query (error): client_secret in a query' },
  { id: 'VER-K16', says: 'secret_in_both (error): credentials in header and body of one request' },
  { id: 'VER-K17', says: 'wrong_auth_method (error): another authentication method than the registered one' },
  { id: 'VER-K18', says: 'code_reused (error): one code presented twice, the retry within 2 s after a 5xx excepted' },
  { id: 'VER-K19', says: 'token_in_query (error): an access token in a query' },
  { id: 'VER-K20', says: 'wrong_token_used (error): an ID or refresh token as bearer token' },
  { id: 'VER-K21', says: 'grant_deprecated (error): the password grant' },
  { id: 'VER-K22', says: 'refresh_reused (error): one refresh token presented twice while rotation is in force' },
  {
    id: 'VER-K23',
    says: 'refresh_late (advice): an access token used after its exp while a refresh token was at hand',
  },
  { id: 'VER-K24', says: 'poll_too_fast (error): a device poll sooner than the interval after the one before' },
  { id: 'VER-K25', says: 'poll_after_end (error): a poll after access_denied or expired_token' },
  {
    id: 'VER-K26',
    says: 'jwks_every_time (warning): more than 5 key set requests with fewer than 2 answered token requests between each two of them, without a new kid',
  },
  {
    id: 'VER-K27',
    says: 'jwks_not_refetched (warning): no key set request within 10 s after the first token of a new kid, by a client that asked for it before',
  },
  { id: 'VER-K28', says: 'discovery_not_used (advice): tokens but neither discovery nor key set requested' },
  {
    id: 'VER-K29',
    says: 'resource_missing (warning): an MCP client (registered by document or with resource elsewhere) without resource at /authorize or /token',
  },
  { id: 'VER-K30', says: 'accept_refuses_json (warning): Accept at the back channel that excludes application/json' },
  { id: 'VER-K31', says: 'content_type_wrong (error): a POST to /token that is no application/x-www-form-urlencoded' },
  { id: 'VER-K32', says: 'parameter_repeated (error): a parameter twice that may stand once' },
  {
    id: 'VER-K33',
    says: 'hint_missing_at_logout (advice): /logout with post_logout_redirect_uri without id_token_hint',
  },
  { id: 'VER-K34', says: 'saml_request_unsigned (warning): no signature where saml.sp_certificates are declared' },
  { id: 'VER-K35', says: 'saml_request_weak_algorithm (warning): RSA-SHA1 or SHA-1' },
  { id: 'VER-K36', says: 'saml_destination_missing (warning): no Destination; error when signed' },
  { id: 'VER-K37', says: 'saml_destination_wrong (error): another Destination than the SSO address' },
  {
    id: 'VER-K38',
    says: 'saml_request_id_repeated (error): one ID in two requests that differ or come from two browsers',
  },
  { id: 'VER-K39', says: 'saml_request_id_malformed (error): an ID that is no NCName' },
  { id: 'VER-K40', says: 'saml_issue_instant_skewed (warning): IssueInstant more than 300 s from the clock' },
  { id: 'VER-K41', says: 'saml_passive_and_forced (warning): IsPassive beside ForceAuthn' },
  { id: 'VER-K42', says: 'saml_acs_http (error): an ACS with http on a host that is not loopback' },
  { id: 'VER-K43', says: 'saml_relay_state_long (error): a RelayState of more than 80 bytes' },
  { id: 'VER-K44', says: 'saml_issuer_missing (error): an AuthnRequest without Issuer' },
  { id: 'VER-K45', says: 'assertion_for_token_endpoint (advice): a client assertion whose aud is an endpoint' },
  { id: 'VER-K46', says: 'client_keys_unusable (error): an assertion, and no key of the client that can verify one' },
];
