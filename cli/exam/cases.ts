// The cases of an exam, made of the catalogue of faults: one for each row and each endpoint it can be at, in the order of the
// catalogue (EXM-02). What a case needs beyond its row stands in `particulars`; to give a row something of its own, add it there.

import { faultCatalogue } from '#shared/engine/faults/catalogue/index.ts';
import type { CorrectClient, FaultRow } from '#shared/engine/faults/fault-row.ts';
import type { FaultEndpoint } from '#shared/model/domain/fault.ts';

export type Protocol = 'oidc' | 'saml';

/** Whose name a forged answer brings: that of another user, the subject with an ending, or the one the fault is given. */
export type ForeignName = 'other_user' | 'changed_subject' | 'forged_name_id';

export interface ExamCase {
  /** `status@token`; without the endpoint where the row has one alone. */
  readonly name: string;
  readonly fault: string;
  readonly at: FaultEndpoint;
  /** What FLT-K says that a correct client does. */
  readonly expected: CorrectClient;
  readonly standard: string;
  /** What the fault does, in one or two sentences. */
  readonly effect: string;
  readonly particulars: Particulars;
}

interface Particulars {
  readonly foreign?: ForeignName;
  /** It is about a refresh, and waits for the access token to be over (EXM-18). */
  readonly refreshes?: true;
  /** It is about the polls of a device, which nobody who logs in by a browser makes. */
  readonly device?: true;
  /** Only when the client asked with max_age (EXM-18). */
  readonly maxAge?: true;
  /** Every later case would meet what it leaves (EXM-09); why a login right afterwards may fail. */
  readonly last?: string;
  /** It stays for whoever asks next. */
  readonly affectsOthers?: true;
  /** What is expected of a client that does this in a login without fault. */
  readonly expectedOf?: (does: ClientHabits) => CorrectClient | undefined;
}

/** What a login without fault told of the client. */
export interface ClientHabits {
  readonly endpoints: ReadonlySet<FaultEndpoint>;
  /** Or why it does not. */
  readonly refreshes: true | string;
  readonly maxAge: boolean;
  /** It asks with `resource`, as clients of MCP do. */
  readonly resource: boolean;
}

const forged: Particulars = { foreign: 'forged_name_id' };
const refreshes: Particulars = { refreshes: true };
const device: Particulars = { device: true };

const particulars: Readonly<Record<string, Particulars>> = {
  code_injected: { foreign: 'other_user' },
  payload_tampered: { foreign: 'changed_subject' },
  // FLT-K051: E for a client that does not ask /userinfo.
  subject_changed: {
    foreign: 'changed_subject',
    expectedOf: ({ endpoints }) => (endpoints.has('userinfo') ? undefined : 'either'),
  },
  auth_time_missing: { maxAge: true },
  auth_time_old: { maxAge: true },
  // FLT-K108: R for an MCP client.
  discovery_no_pkce: { expectedOf: ({ resource }) => (resource ? 'reject' : undefined) },
  refresh_reply_lost: refreshes,
  refresh_not_rotated: refreshes,
  refresh_token_omitted: refreshes,
  refresh_revoked: refreshes,
  refresh_subject_changed: refreshes,
  refresh_issuer_changed: refreshes,
  device_slow_down: device,
  device_expired: device,
  device_denied: device,
  key_rotated_before_signing: {
    // Libraries bound how often they ask, and whoever keeps the key set meets the new key once more.
    last: 'the client may not fetch the key set again so soon',
    affectsOthers: true,
  },
  saml_content_tampered: forged,
  saml_two_assertions: forged,
  saml_nameid_comment: forged,
  ...Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`saml_xsw${index + 1}`, forged])),
};

export function examCases(protocol: Protocol): readonly ExamCase[] {
  return faultCatalogue.flatMap((row) =>
    row.at.filter((endpoint) => protocolOf(endpoint) === protocol).map((endpoint) => caseOf(row, endpoint)),
  );
}

/** `auth*` fits every name that begins so; a name without the endpoint fits it at each. */
export function fits(name: string, pattern: string): boolean {
  const expression = pattern
    .split('*')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  const whole = new RegExp(`^${expression}$`);
  return whole.test(name) || (!pattern.includes('@') && whole.test(name.replace(/@.*/, '')));
}

/** Whose requests name no client (EXM-09). */
export function namesNoClient({ at, particulars: { affectsOthers } }: ExamCase): boolean {
  return affectsOthers === true || anonymous.has(at);
}

const anonymous: ReadonlySet<FaultEndpoint> = new Set(['discovery', 'jwks', 'saml_metadata', 'register']);

function protocolOf(endpoint: FaultEndpoint): Protocol {
  return endpoint.startsWith('saml_') ? 'saml' : 'oidc';
}

function caseOf({ name, at, client, source, effect }: FaultRow, endpoint: FaultEndpoint): ExamCase {
  return {
    name: at.length > 1 ? `${name}@${endpoint}` : name,
    ...{ fault: name, at: endpoint, expected: client, effect, standard: source === '(A)' ? 'test-idp' : source },
    particulars: particulars[name] ?? {},
  };
}
