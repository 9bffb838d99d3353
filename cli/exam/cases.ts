// The cases of an exam, derived from the catalogue of faults: one for each row and each of its endpoints, in the order
// of the catalogue (EXM-02). `particulars` has what a case needs in addition to its row. Add special treatment of a row there.

import { faultCatalogue } from '#shared/engine/faults/catalogue/index.ts';
import type { CorrectClient, FaultRow } from '#shared/engine/faults/fault-row.ts';
import type { FaultEndpoint } from '#shared/model/domain/fault.ts';

export type Protocol = 'oidc' | 'saml';

/** The name in a forged response: that of another user, the subject with a suffix, or the name that the fault gets. */
export type ForeignName = 'other_user' | 'changed_subject' | 'forged_name_id';

export interface ExamCase {
  /** `status@token`. Without the endpoint if the row has only one. */
  readonly name: string;
  readonly fault: string;
  readonly at: FaultEndpoint;
  /** The behaviour of a correct client by FLT-K. */
  readonly expected: CorrectClient;
  readonly standard: string;
  /** What the fault does, in one or two sentences. */
  readonly effect: string;
  readonly particulars: Particulars;
}

interface Particulars {
  readonly foreign?: ForeignName;
  /** Concerns a refresh, and waits until the access token expires (EXM-18). */
  readonly refreshes?: true;
  /** Concerns the polls of a device, which do not occur in a browser's login. */
  readonly device?: true;
  /** Only if the client sent max_age (EXM-18). */
  readonly maxAge?: true;
  /** It affects every later case (EXM-09). The text says why a login right afterwards may fail. */
  readonly last?: string;
  /** Its effect remains for the next requests of any client. */
  readonly affectsOthers?: true;
  /** The expectation for a client that behaves like this in a login without fault. */
  readonly expectedOf?: (does: ClientBehaviour) => CorrectClient | undefined;
}

/** The client's behaviour in a login without fault. */
export interface ClientBehaviour {
  readonly endpoints: ReadonlySet<FaultEndpoint>;
  /** true, or the reason why it does not. */
  readonly refreshes: true | string;
  readonly maxAge: boolean;
  /** It sends `resource`, as MCP clients do. */
  readonly resource: boolean;
}

const forged: Particulars = { foreign: 'forged_name_id' };
const refreshes: Particulars = { refreshes: true };
const device: Particulars = { device: true };

const particulars: Readonly<Record<string, Particulars>> = {
  code_injected: { foreign: 'other_user' },
  payload_tampered: { foreign: 'changed_subject' },
  // FLT-K051: E for a client that does not request /userinfo.
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
    // Libraries limit how often they fetch the key set. A client that keeps the key set meets the new key again later.
    last: 'the client may not fetch the key set again that soon',
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

/** `auth*` matches every name with that prefix. A name without the endpoint matches it at each endpoint. */
export function matchesPattern(name: string, pattern: string): boolean {
  const expression = pattern
    .split('*')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  const whole = new RegExp(`^${expression}$`);
  return whole.test(name) || (!pattern.includes('@') && whole.test(name.replace(/@.*/, '')));
}

/** Whether its requests name no client (EXM-09). */
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
