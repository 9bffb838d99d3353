// The users, clients and settings of the gallery's identity provider: ordinary, long, hostile and right-to-left names, the
// settings of each group, and some history.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { basic } from '#test/support/http.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { postBinding, redirectBinding, spMetadata } from '#test/support/saml/sp-metadata.ts';
import type { RunningIdp } from '#test/support/start-idp.ts';

/** The settings that an exhibit needs. */
export type Room =
  | 'password'
  | 'persona'
  | 'persona_4'
  | 'persona_40'
  | 'persona_400'
  | 'persona_claims'
  | 'two_step'
  | 'totp'
  | 'gated'
  | 'session'
  | 'edited'
  | 'large'
  | 'empty'
  | 'empty_persona';

export const callback = 'http://127.0.0.1:9/callback';
export const totpSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
export const longText = 'Pneumonoultramicroscopicsilicovolcanoconiosis'.repeat(112).slice(0, 5000);
export const hostileName = '"><script>alert(1)</script>{{7*7}}';
export const managementSecret = 'open sesame';

const people: Readonly<Record<string, object>> = {
  alice: {
    password: 'wonderland',
    description: 'Head of support, may do everything',
    email: 'alice@example.org',
    identity_class: 'INTERNAL',
    roles: ['USER', 'ADMIN'],
    groups: ['staff', 'support'],
    entitlements: ['orders:read', 'orders:write'],
    source_acl: ['acl-17'],
    attributes: { department: 'Support', badge: 17, floors: [1, 2] },
  },
  bob: { password: 'builder', description: 'A customer without rights' },
  carla: { password: 'cabbage', description: 'Signs in with a second factor', totp_secret: totpSecret },
  'dr. noor-van-dijk': { password: 'x', description: 'Physician on call', roles: ['USER', 'PHYSICIAN'] },
  erin: { description: 'Persona without a password' },
  'שלום עולם': { password: 'x', description: 'Written from right to left: أهلا وسهلا' },
  [hostileName]: {
    password: 'x',
    description: hostileName,
    roles: [hostileName],
    groups: [hostileName],
    tenant: hostileName,
    attributes: { [hostileName]: hostileName, '{{constructor}}': longText },
  },
  [longText]: { password: 'x', tenant: longText, roles: [longText], attributes: { [longText]: longText } },
};

const firstNames = ['Ada', 'Bela', 'Chidi', 'Dana', 'Emeka', 'Freya', 'Goran', 'Hana', 'Ines', 'Jonas'];
const lastNames = ['Abel', 'Brandt', 'Castro', 'Dorn', 'Ekwueme', 'Fischer', 'Grau', 'Holm', 'Ito', 'Jansen'];
const duties = [
  ['Opens orders', 'SALES'],
  ['Approves invoices', 'FINANCE'],
  ['Reads reports', 'AUDITOR'],
  ['Answers calls', 'SUPPORT'],
] as const;

/** So many users with plausible names and roles. */
function crowd(size: number): Readonly<Record<string, object>> {
  return Object.fromEntries(
    Array.from({ length: size }, (_, number) => {
      const first = firstNames[number % 10] ?? '';
      const last = lastNames[Math.floor(number / 10) % 10] ?? '';
      const [description, role] = duties[number % duties.length] ?? duties[0];
      const name = `${first}.${last}`.toLowerCase() + (number < 100 ? '' : `-${Math.floor(number / 100) + 1}`);
      return [name, { password: 'x', description, roles: ['USER', role] }];
    }),
  );
}

const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 40" width="160" height="40"><rect width="40" height="40" rx="10" fill="#f2b33d"/><path d="M10 15h20l-3 12H13z" fill="#14375e"/><text x="52" y="27" font-family="sans-serif" font-size="20" font-weight="700" fill="#ffffff">webshop</text></svg>`;

const clients = [
  {
    client_id: 'web-shop',
    client_secret: 'web-secret',
    description: 'The demo web shop',
    show_client_id: false,
    show_description: true,
    background_color: '#eef2f7',
    header_color: '#14375e',
    footer_color: '#14375e',
    redirect_uris: [callback],
    frontchannel_logout_uri: 'http://127.0.0.1:9/frontchannel-logout',
    frontchannel_logout_session_required: true,
  },
  {
    client_id: 'reporting',
    client_secret: 'reporting-secret',
    token_endpoint_auth_method: 'client_secret_post',
    description: 'Reports for the board',
    show_description: true,
    layout: 'horizontal',
    header_color: '#5b2a4e',
    redirect_uris: [callback],
  },
  {
    client_id: 'night-watch',
    client_secret: 'night-secret',
    description: 'A dark ground, a bright header',
    show_description: true,
    background_color: '#101820',
    header_color: '#ffe08a',
    policy_uri: 'https://night.example/privacy',
    tos_uri: 'https://night.example/terms',
    redirect_uris: [callback],
  },
  { client_id: 'spa', token_endpoint_auth_method: 'none', redirect_uris: [callback, `${callback}/other`] },
  { client_id: 'tv', client_secret: 'tv-secret', description: 'A television' },
  { client_id: 'kiosk', client_secret: 'kiosk-secret', description: 'Gets new secrets' },
  {
    client_id: hostileName,
    client_secret: 's',
    description: longText,
    show_description: true,
    redirect_uris: [callback, `https://${'endless-'.repeat(20)}.example/${'x'.repeat(300)}`],
  },
];

export const expenses = 'https://expenses.example/saml';
export const payroll = 'https://payroll.example/metadata';

const { certificatePem: serviceProviderCertificate } = await signingKey('sp');

/** Named by the settings of a group (`writeMetadata`). */
const payrollFile = 'payroll.xml';

const serviceProviders = [
  {
    entity_id: expenses,
    title: 'Expenses',
    acs: [
      { url: 'https://expenses.example/saml/acs', index: 0, default: true },
      { url: 'https://staging.expenses.example/saml/acs', index: 1 },
    ],
    sign: 'both',
    name_id_format: 'emailAddress',
    name_id_from: 'email',
    attributes: [{ name: 'urn:oid:0.9.2342.19200300.100.1.3', friendly_name: 'mail', from: 'email' }],
    certificates: [serviceProviderCertificate],
    slo: [{ url: 'https://expenses.example/saml/slo', binding: 'HTTP-Redirect' }],
  },
  { metadata_file: payrollFile, title: 'Payroll' },
  { entity_id: 'https://plain.example', acs: 'https://plain.example/acs' },
  { entity_id: 'https://passing.example', idp_initiated: false },
  {
    entity_id: hostileName,
    title: longText,
    acs: `https://${'endless-'.repeat(20)}.example/${'x'.repeat(300)}`,
  },
  { entity_id: 'urn:שלום', title: 'שלום עולם', acs: 'https://shalom.example/acs' },
];

/** The metadata of a service provider, with a certificate and a single logout service. */
export async function writeMetadata(root: string): Promise<void> {
  const metadata = spMetadata({
    entityId: payroll,
    consumers: `    <md:AssertionConsumerService Binding="${postBinding}" Location="https://payroll.example/acs" index="0"/>\n`,
    signing: serviceProviderCertificate,
    encryption: serviceProviderCertificate,
    roleAttributes: ' AuthnRequestsSigned="true"',
    logout: `    <md:SingleLogoutService Binding="${redirectBinding}" Location="https://payroll.example/slo"/>\n`,
  });
  writeFileSync(join(root, 'config', payrollFile), metadata);
}

const rooms: Readonly<Record<Room, { readonly settings: object; readonly users: object; readonly clients?: [] }>> = {
  password: { settings: { saml: { idp_initiated: true, service_providers: serviceProviders } }, users: people },
  persona: { settings: { login: { mode: 'persona' } }, users: people },
  persona_4: { settings: { login: { mode: 'persona' } }, users: crowd(4) },
  persona_40: { settings: { login: { mode: 'persona' } }, users: crowd(40) },
  persona_claims: { settings: { login: { mode: 'persona', edit_claims: true } }, users: people },
  persona_400: { settings: { login: { mode: 'persona' } }, users: crowd(400) },
  two_step: { settings: { login: { two_step: true } }, users: people },
  totp: { settings: { login: { totp: true } }, users: people },
  gated: { settings: { management_secret: managementSecret, saml: { idp_initiated: true } }, users: people },
  session: {
    settings: {
      login: { session: 'on', consent: 'first' },
      saml: { single_logout: true, idp_initiated: true, service_providers: serviceProviders },
    },
    users: people,
  },
  edited: { settings: {}, users: people },
  large: { settings: {}, users: crowd(10_000) },
  empty: { settings: {}, users: {}, clients: [] },
  empty_persona: { settings: { login: { mode: 'persona' } }, users: {}, clients: [] },
};

/** The order in which settings groups are activated. */
export const roomNames = Object.keys(rooms) as readonly Room[];

interface MetadataDocuments {
  readonly port: number;
}

export function settingsOf(room: Room, documents: MetadataDocuments): object {
  const oauth = {
    issuer: 'http://127.0.0.1:8000',
    issuer_from_request: true,
    clients: rooms[room].clients ?? clients,
    logos_dir: '../logos',
    client_id_metadata_documents: {
      enabled: true,
      allow_loopback: true,
      allowed_hosts: [`localhost:${documents.port}`],
    },
  };
  return { oauth, ...rooms[room].settings };
}

export function usersOf(room: Room): object {
  return { users: rooms[room].users };
}

/** Disposable objects, as a test run leaves them. */
export async function makeRuntimeObjects({ baseUrl }: RunningIdp): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const make = (path: string, body: object) =>
    fetch(`${baseUrl}/api/runtime/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  await make('users', { username: 'frieda', description: 'Made by a test run', roles: ['USER'] });
  await make('service-providers', { entity_id: 'urn:ci:app', acs: 'http://127.0.0.1:9/acs' });
  await make('clients', { client_id: 'ci-client', client_secret: 's', description: 'Made by a test run' });
}

/** Successes and errors of every kind, including hostile ones. */
export async function makeHistory({ baseUrl }: RunningIdp, documents: MetadataDocuments): Promise<void> {
  const form = (path: string, fields: Record<string, string>, secret = 'web-secret') =>
    fetch(baseUrl + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { Authorization: basic('web-shop', secret) },
      body: new URLSearchParams(fields),
    });
  const open = (path: string) => fetch(baseUrl + path, { redirect: 'manual' });
  const authorize = (parameters: Record<string, string>) =>
    open(`/authorize?${new URLSearchParams({ response_type: 'code', redirect_uri: callback, ...parameters })}`);
  await form('/login', { username: hostileName, password: 'wrong' });
  await form('/login', { username: longText, password: 'wrong' });
  await form('/login', { username: 'alice', password: 'wonderland' });
  await form('/token', { grant_type: 'client_credentials' });
  await form('/token', { grant_type: 'client_credentials' }, 'wrong');
  await form('/token', { grant_type: 'client_credentials', scope: 'everything' });
  await form('/token', { grant_type: 'authorization_code', code: 'old', redirect_uri: callback });
  await form('/introspect', { token: 'no token' });
  await form('/device', { user_code: 'BCDF-GHJK' });
  await open('/saml/sso?SAMLRequest=nonsense');
  await open('/userinfo');
  await authorize({ client_id: 'spa', redirect_uri: 'https://evil.example/cb' });
  await authorize({ client_id: hostileName, redirect_uri: `https://evil.example/${hostileName}` });
  await authorize({ client_id: 'spa' });
  await authorize({ client_id: `https://localhost:${documents.port}/client.json` });
  await form('/login', { username: 'alice', password: 'Wonderland' });
}

export function writeLogos(root: string): void {
  writeFileSync(join(root, 'logos', 'web-shop.svg'), logo);
}
