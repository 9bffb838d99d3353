// The section `oauth` of settings.yaml: issuer, lifetimes, scopes, clients and how clients come to be known (CFG-K09 to
// CFG-K27).
import * as z from 'zod';
import { clientEntryModel } from './client-entry.ts';
import { problemOfAllowedHost, problemOfAllowlistedOrigin, problemOfHttpUrl, withoutTrailingSlash } from './formats.ts';
import { filledText, flag, judged, notes, optionalText, section, texts, wholeNumber } from './kinds.ts';

const defaultScopes = ['openid', 'profile', 'email', 'offline_access'];

const baseUrl = () => judged(problemOfHttpUrl).transform(withoutTrailingSlash);

export const oauthSettings = section({
  issuer: baseUrl()
    .prefault('http://127.0.0.1:8000')
    .meta(notes({ description: 'The issuer: `iss` of tokens and base of every address.', pattern: '^https?://' })),
  issuer_from_request: flag(false).meta(
    notes({ description: 'Take scheme and host of each request as the issuer instead.' }),
  ),
  issuer_from_proxy_headers: flag(false).meta(
    notes({ description: 'Trust the X-Forwarded-* headers of exactly one proxy.', restart: true }),
  ),
  issuer_allowlist: z
    .array(judged(problemOfAllowlistedOrigin), 'must be a list of origins')
    .nullable()
    .transform((value) => value ?? [])
    .prefault([])
    .meta(
      notes({ description: 'Origins that a request may make the issuer; others fall back to `issuer`. Empty: any.' }),
    ),
  device_verification_base_url: z
    .union([z.literal(''), judged(problemOfHttpUrl)])
    .nullable()
    .transform((value) => (value === null || value === '' ? undefined : withoutTrailingSlash(value)))
    .optional()
    .meta(notes({ description: 'Base of the addresses shown in the device flow; with `issuer_from_request` only.' })),
  audience: filledText()
    .default('default')
    .meta(notes({ description: '`aud` of access tokens.' })),
  token_expiry_minutes: wholeNumber(1, 1440)
    .default(60)
    .meta(notes({ description: 'Lifetime of access and ID tokens, in minutes.' })),
  refresh_token_expiry_minutes: wholeNumber(1, 43_200)
    .default(10_080)
    .meta(notes({ description: 'Lifetime of refresh tokens, in minutes.' })),
  refresh_token_rotation: flag(false).meta(
    notes({ description: 'A refresh token is used once (always for public clients and under `oauth21`).' }),
  ),
  require_pkce: flag(false).meta(notes({ description: 'Confidential clients need PKCE too (always outside `dev`).' })),
  scopes_supported: texts()
    .nullable()
    .transform((value) => value ?? [...defaultScopes])
    .prefault([...defaultScopes])
    .meta(notes({ description: 'The scopes there are.', fileOnly: true })),
  scope_enforcement: flag(true).meta(
    notes({ description: 'Refuse scopes that are not supported; `false` counts under `dev` only.', fileOnly: true }),
  ),
  logos_dir: optionalText().meta(
    notes({ description: 'Directory of client logos, served at /client-logos/<client_id>.', fileOnly: true }),
  ),
  clients: z.array(clientEntryModel, 'must be a list of clients; [] for none').default([]),
  dynamic_registration: section({
    enabled: flag(false).meta(notes({ description: 'Open /register (RFC 7591).', fileOnly: true })),
    max_clients: wholeNumber(1, 10_000)
      .default(100)
      .meta(notes({ description: 'Live registrations at once.', fileOnly: true })),
  }).prefault({}),
  client_id_metadata_documents: section({
    enabled: flag(false).meta(
      notes({
        description: 'Accept clients whose client_id is the https address of their document.',
        fileOnly: true,
      }),
    ),
    allowed_hosts: z
      .array(
        judged(problemOfAllowedHost).transform((host) => host.toLowerCase()),
        'must be a list of hosts',
      )
      .default([])
      .meta(
        notes({
          description: 'Hosts to fetch documents from, `host` or `host:port` (443 when none). Empty: none.',
          fileOnly: true,
        }),
      ),
    allow_loopback: flag(false).meta(
      notes({
        description: 'For development: fetch from loopback, only while the server itself is on loopback.',
        fileOnly: true,
      }),
    ),
  }).prefault({}),
}).prefault({});
