// Section EXM: the exam of a client.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  {
    id: 'EXM-01',
    says: 'test-idp exam takes --client <id> or --saml --sp <entity>, --login-url <url>, and optionally --idp <url> (default http://127.0.0.1:8000), --sandbox <name>, --user <name> with --password, --logged-in-when, --only and --except (names or * patterns), --timeout <seconds> (1 to 120, default 15), --junit <file>, --json, --browser, --insecure, --management-secret (else IDP_MANAGEMENT_SECRET), --alone and --allow-undecided; --help explains them, and a wrong one exits 1 with usage.',
  },
  {
    id: 'EXM-02',
    says: 'test-idp exam --list prints each case with name, expectation and standard without asking anybody, at least 40 for OpenID Connect and 30 for SAML, each named like its row of FLT-K, with @<endpoint> appended where the row has several endpoints.',
  },
  { id: 'EXM-03', says: 'Without --user it makes a runtime user for the run and removes it at the end.' },
  {
    id: 'EXM-04',
    says: 'It first drives one normal login through --login-url with no fault, and when that does not end logged in it stops with exit code 2, no case run, and the explanation of that flow.',
  },
  {
    id: 'EXM-05',
    says: 'It then lets one login end in access_denied (SAML: a status AuthnFailed) and stops with exit code 2 and the advice to set --logged-in-when when that counts as logged in too.',
  },
  {
    id: 'EXM-06',
    says: "--logged-in-when takes url=, text=, status= or cookie=, comma-separated ones all having to hold on the last page; without it logged in means status, path and set of cookie names of the normal login's last page.",
  },
  {
    id: 'EXM-07',
    says: "Each case begins in a fresh cookie jar at --login-url and has one quiet fault for that client or SP and the exam's user, times 1 (always for discovery and key set rows), with a ttl_seconds of twice the timeout.",
  },
  {
    id: 'EXM-08',
    says: 'At its end, by SIGINT and SIGTERM too, none of its faults, users and clock moves is left, and after a SIGKILL none outlives its ttl_seconds.',
  },
  {
    id: 'EXM-09',
    says: 'Cases of discovery, key set, SAML metadata and key_rotated_before_signing, whose requests name no client, run only with --sandbox or --alone and are skipped otherwise, and key_rotated_before_signing comes last.',
  },
  {
    id: 'EXM-10',
    says: 'While it runs, requests of other clients meet no fault of it, and a second exam of the same client in the same namespace exits 2 and says that one is running.',
  },
  {
    id: 'EXM-11',
    says: 'A case whose endpoint the normal flow did not use (userinfo, refresh, JWKS, registration, logout) is skipped with that reason.',
  },
  {
    id: 'EXM-12',
    says: 'A case ends accepted, rejected, crashed (the client answered 5xx, closed without an answer, or not within the timeout; 502, 503 and 504 are rejected where FLT-K says T), skipped or undecided (its fault never fired, or the criterion could not be read).',
  },
  { id: 'EXM-13', says: 'A case whose fault has hits 0 is never rejected.' },
  {
    id: 'EXM-14',
    says: "It is good when FLT-K's column Client is R and it was rejected, A and accepted, T and it was rejected or accepted and a login without fault in a fresh jar directly afterwards works, E and it did not crash; every other decided case is bad.",
  },
  {
    id: 'EXM-15',
    says: "In a row that brings another user's name (code_injected, payload_tampered, subject_changed, saml_content_tampered, saml_two_assertions, saml_nameid_comment, XSW) a login counts as accepted when the last page shows the foreign name (looked for first), as rejected when it shows username or e-mail address of the exam's user, and as undecided when it shows neither.",
  },
  {
    id: 'EXM-16',
    says: 'A normal login without fault follows every crashed case, every tenth case and the last one, and when it fails the cases since the one before it and all remaining ones are undecided and the report says so.',
  },
  {
    id: 'EXM-17',
    says: "The last page is reached by following redirects (at most 30), cookies of each host and path, HTML forms that post themselves (response_mode=form_post, SAML) and the server's own login pages, over http and https, loopback and other hosts.",
  },
  {
    id: 'EXM-18',
    says: "A case for max_age faults runs only when the client asked with max_age, and a refresh case moves the clock past the access token's exp in a sandbox, or else is skipped.",
  },
  {
    id: 'EXM-19',
    says: '--browser drives an installed Chromium with the same cases, and exits 2 naming what is missing when there is none.',
  },
  {
    id: 'EXM-20',
    says: 'A client whose page needs a script to go on makes the normal login fail with an explanation that names --browser.',
  },
  {
    id: 'EXM-21',
    says: 'Standard output is one line a case (mark, name, what the client did, standard) in catalogue order and a closing line with the numbers, standard error the progress.',
  },
  {
    id: 'EXM-22',
    says: '--json prints one JSON object {client, login_url, control, cases, counts} instead, a case having name, expected, result, good, reason, standard, flow and duration_ms.',
  },
  {
    id: 'EXM-23',
    says: '--junit writes a JUnit XML suite with one test case a case: failed when bad, skipped when skipped or undecided.',
  },
  {
    id: 'EXM-24',
    says: 'The exit code is 1 when a case was bad, else 2 when one was undecided and --allow-undecided is not given, or when the exam could not look, else 0.',
  },
  {
    id: 'EXM-25',
    says: 'No report and no log line of it holds a password, management secret, token, code or cookie value.',
  },
  {
    id: 'EXM-26',
    says: 'It tells apart a relying party on openid-client 6 with enableNonRepudiationChecks, PKCE, state, nonce and userinfo, for which it exits 0 with --allow-undecided, and one that reads the ID token without verifying it, for which it exits 1 with alg_none, signature_tampered, key_unknown, token_issuer_wrong, token_audience_wrong, token_expired and nonce_wrong accepted.',
  },
  {
    id: 'EXM-27',
    says: 'It finds saml_unsigned, saml_key_unknown, saml_content_tampered, saml_expired, saml_audience_wrong, saml_in_response_to_wrong and saml_xsw1 to saml_xsw8 rejected by a service provider on node-saml 5 with validateInResponseTo always, and the first six with saml_xsw3, saml_xsw5 and saml_xsw7 accepted by one that reads the first NameID of the document without verifying.',
  },
];
