// The notice that a redirect passes to its page: a code, and the name it is about. The sentences are fixed here, so an
// address cannot inject one. The name is shown as text, truncated to a readable length.

import type { Parameters } from '#shared/base/parameters.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { NoticeProps } from '#shared/web/pages/components/notice.tsx';
import { countText } from './count-text.ts';

interface ArrivedNotice {
  readonly kind: NoticeProps['kind'];
  readonly text: string;
}

/** Numbers come from the active configuration, not from the address. */
type Sentence = (name: string, inForce: ConfigurationSnapshot) => string;

const notices = {
  user_created: ['success', (name) => `The user ${name} was created.`],
  user_saved: ['success', (name) => `The user ${name} was saved.`],
  user_deleted: ['success', (name) => `The user ${name} was deleted.`],
  user_unknown: ['refusal', (name) => `There is no declared user ${name}.`],
  user_runtime: [
    'warning',
    (name) =>
      `${name} is a runtime user: it can be deleted or saved to users.yaml on the page of runtime objects, and edited after that.`,
  ],
  client_created: ['success', (name) => `The client ${name} was created.`],
  client_saved: ['success', (name) => `The client ${name} was saved.`],
  client_deleted: ['success', (name) => `The client ${name} was deleted.`],
  client_unknown: ['refusal', (name) => `There is no declared client ${name}.`],
  client_read_only: [
    'warning',
    (name) => `The client ${name} is not declared in settings.yaml, so it is read-only here.`,
  ],
  client_public: ['refusal', (name) => `The client ${name} is public and has no secret.`],
  client_forgotten: [
    'success',
    (name) => `The metadata document of ${name} was dropped; the next use fetches it again.`,
  ],
  client_not_cached: [
    'warning',
    (name) => `No metadata document of ${name} is cached, so there was nothing to forget.`,
  ],
  service_provider_created: ['success', (name) => `The service provider ${name} was created.`],
  service_provider_saved: ['success', (name) => `The service provider ${name} was saved.`],
  service_provider_deleted: ['success', (name) => `The service provider ${name} was deleted.`],
  service_provider_unknown: ['refusal', (name) => `There is no declared service provider ${name}.`],
  service_provider_read_only: [
    'warning',
    (name) => `The service provider ${name} is not declared in settings.yaml, so it is read-only here.`,
  ],
  runtime_promoted: ['success', (name) => `${name} was saved to its file and is a declared entry now.`],
  runtime_deleted: ['success', (name) => `The runtime object ${name} was deleted.`],
  runtime_reset: ['success', () => 'All runtime objects were deleted.'],
  settings_saved: ['success', () => 'The settings were saved and are in force.'],
  files_reloaded: [
    'success',
    (_name, { users, clients }) =>
      `Both files were read again and are in force: ${counted(users.size, 'user')}, ${counted(clients.size, 'client')}.`,
  ],
  settings_unchanged: ['info', () => 'Nothing was changed: the settings already have these values.'],
  claims_saved: ['success', () => 'The authority prefixes were saved and are in force.'],
  keys_rotated: [
    'success',
    () => 'The signing key was rotated. Tokens of the previous key stay valid while it is kept.',
  ],
  clock_moved: ['success', () => 'The clock was moved. Everything a client can observe goes by it from now on.'],
  clock_returned: ['success', () => 'The clock runs with real time again.'],
  sandbox_created: ['success', (name) => `The sandbox ${name} is there.`],
  sandbox_reset: ['success', (name) => `The sandbox ${name} is as it was made.`],
  sandbox_deleted: ['success', (name) => `The sandbox ${name} is gone, with everything in it.`],
  sandbox_unknown: ['warning', (name) => `There is no sandbox ${name} any more.`],
  fault_set: ['success', (name) => `The fault ${name} was set.`],
  fault_removed: ['success', () => 'The fault was removed.'],
  faults_removed: ['success', () => 'All faults that were set here were removed.'],
  recorder_emptied: ['success', () => 'The recorder is empty.'],
  sessions_ended: ['success', (name) => `${name} ended.`],
  consents_forgotten: ['success', (name) => `${name} forgotten.`],
  audit_cleared: ['success', () => 'The audit log was cleared.'],
  saved_hook_failed: [
    'warning',
    () => 'The change is saved and in force, but the on_config_saved hook failed. The log of the server says why.',
  ],
} as const satisfies Record<string, readonly [NoticeProps['kind'], Sentence]>;

export type NoticeCode = keyof typeof notices;

const nameLengthMax = 200;

export function withNotice(path: string, code: NoticeCode, name?: string): string {
  const query = new URLSearchParams(name === undefined ? { notice: code } : { notice: code, name });
  return `${path}?${query}`;
}

export function noticeFromQuery(query: Parameters, inForce: ConfigurationSnapshot): ArrivedNotice | undefined {
  const code = query.value('notice');
  if (code === undefined || !Object.hasOwn(notices, code)) return undefined;
  const [kind, sentence] = notices[code as NoticeCode];
  return { kind, text: sentence(shorten(query.value('name') ?? ''), inForce) };
}

function shorten(name: string): string {
  return name.length > nameLengthMax ? `${name.slice(0, nameLengthMax)}…` : name;
}

function counted(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;
}
