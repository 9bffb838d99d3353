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
  user_unknown: ['refusal', (name) => `The declared user ${name} does not exist.`],
  user_runtime: [
    'warning',
    (name) => `${name} is a runtime user. To edit it, first save it to users.yaml on the page Runtime objects.`,
  ],
  client_created: ['success', (name) => `The client ${name} was created.`],
  client_saved: ['success', (name) => `The client ${name} was saved.`],
  client_deleted: ['success', (name) => `The client ${name} was deleted.`],
  client_unknown: ['refusal', (name) => `The declared client ${name} does not exist.`],
  client_read_only: [
    'warning',
    (name) => `The client ${name} is read-only here, because settings.yaml does not declare it.`,
  ],
  client_public: ['refusal', (name) => `The client ${name} is public and has no secret.`],
  client_forgotten: [
    'success',
    (name) => `The metadata document of ${name} was deleted from the cache. The next use fetches it again.`,
  ],
  client_not_cached: ['warning', (name) => `The cache has no metadata document of ${name}.`],
  service_provider_created: ['success', (name) => `The service provider ${name} was created.`],
  service_provider_saved: ['success', (name) => `The service provider ${name} was saved.`],
  service_provider_deleted: ['success', (name) => `The service provider ${name} was deleted.`],
  service_provider_unknown: ['refusal', (name) => `The declared service provider ${name} does not exist.`],
  service_provider_read_only: [
    'warning',
    (name) => `The service provider ${name} is read-only here, because settings.yaml does not declare it.`,
  ],
  runtime_promoted: ['success', (name) => `${name} was saved to its file and is now a declared entry.`],
  runtime_deleted: ['success', (name) => `The runtime object ${name} was deleted.`],
  runtime_reset: ['success', () => 'All runtime objects were deleted.'],
  settings_saved: ['success', () => 'The settings were saved and are active.'],
  files_reloaded: [
    'success',
    (_name, { users, clients }) =>
      `Both files were reloaded and are active: ${counted(users.size, 'user')}, ${counted(clients.size, 'client')}.`,
  ],
  settings_unchanged: ['info', () => 'Nothing changed. The settings already have these values.'],
  claims_saved: ['success', () => 'The authority prefixes were saved and are active.'],
  keys_rotated: [
    'success',
    () => 'The signing key was rotated. Tokens of the previous key stay valid until that key is removed.',
  ],
  clock_moved: ['success', () => 'The clock was moved. Tokens, codes, sessions and assertions now use its new time.'],
  clock_returned: ['success', () => 'The clock shows real time again.'],
  sandbox_created: ['success', (name) => `The sandbox ${name} was created.`],
  sandbox_reset: ['success', (name) => `The sandbox ${name} was reset.`],
  sandbox_deleted: ['success', (name) => `The sandbox ${name} was deleted with everything in it.`],
  sandbox_unknown: ['warning', (name) => `The sandbox ${name} does not exist any more.`],
  fault_set: ['success', (name) => `The fault ${name} was set.`],
  fault_removed: ['success', () => 'The fault was deleted.'],
  faults_removed: ['success', () => 'All faults that were set at run time were deleted.'],
  recorder_emptied: ['success', () => 'All flows were deleted.'],
  sessions_ended: ['success', (name) => `${name} ended.`],
  consents_forgotten: ['success', (name) => `${name} deleted.`],
  audit_cleared: ['success', () => 'The audit log was cleared.'],
  saved_hook_failed: [
    'warning',
    () => 'The change is saved and active, but the on_config_saved hook failed. The server log has the reason.',
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
