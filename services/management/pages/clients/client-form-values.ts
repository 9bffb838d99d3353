// The client form's fields to an entry of oauth.clients[] and back (WEB-07). The stored secret never leaves: a blank
// field keeps it.
import { type ClientEntry, checkClientEntry, clientEntryModel } from '#shared/configuration/model/client-entry.ts';
import type { Parameters } from '#shared/http/parameters.ts';
import { asSentence, type FieldErrors, fieldErrors } from '../form-parts.tsx';
import { checkboxField, lineField, textField } from '../form-values.ts';

const textNames = [
  'client_id',
  'token_endpoint_auth_method',
  'description',
  'scope',
  'background_color',
  'header_color',
  'footer_color',
  'layout',
] as const;
const listNames = ['redirect_uris', 'allowed_resources', 'additional_audiences', 'post_logout_redirect_uris'] as const;
const flagNames = ['show_client_id', 'show_description'] as const;

type TextName = (typeof textNames)[number];
type ListName = (typeof listNames)[number];
type FlagName = (typeof flagNames)[number];

/** The form as text; lists one entry a line. */
export type ClientFormValues = Readonly<Record<TextName | ListName, string> & Record<FlagName, boolean>> & {
  /** Only on the form of a new client, where it was drawn for it or typed. */
  readonly client_secret: string;
};

export function newClientValues(secret: string): ClientFormValues {
  const entry = clientEntryModel.parse({ client_id: 'new' });
  return { ...valuesOfEntry(entry), client_id: '', client_secret: secret };
}

export function valuesOfEntry(entry: ClientEntry): ClientFormValues {
  return {
    client_id: entry.client_id,
    client_secret: '',
    token_endpoint_auth_method: entry.token_endpoint_auth_method,
    description: entry.description,
    scope: entry.allowed_scopes?.join(' ') ?? entry.scope ?? '',
    background_color: entry.background_color ?? '',
    header_color: entry.header_color ?? '',
    footer_color: entry.footer_color ?? '',
    layout: entry.layout,
    redirect_uris: entry.redirect_uris.join('\n'),
    allowed_resources: entry.allowed_resources.join('\n'),
    additional_audiences: entry.additional_audiences.join('\n'),
    post_logout_redirect_uris: entry.post_logout_redirect_uris.join('\n'),
    show_client_id: entry.show_client_id,
    show_description: entry.show_description,
  };
}

export function valuesOfForm(form: Parameters, before: ClientFormValues): ClientFormValues {
  const typed = (name: TextName | ListName) => form.first(name) ?? before[name];
  return {
    client_id: typed('client_id'),
    client_secret: form.first('client_secret') ?? before.client_secret,
    token_endpoint_auth_method: typed('token_endpoint_auth_method'),
    description: typed('description'),
    scope: typed('scope'),
    background_color: typed('background_color'),
    header_color: typed('header_color'),
    footer_color: typed('footer_color'),
    layout: typed('layout'),
    redirect_uris: typed('redirect_uris'),
    allowed_resources: typed('allowed_resources'),
    additional_audiences: typed('additional_audiences'),
    post_logout_redirect_uris: typed('post_logout_redirect_uris'),
    show_client_id: checkboxField(form, 'show_client_id') ?? before.show_client_id,
    show_description: checkboxField(form, 'show_description') ?? before.show_description,
  };
}

export type ClientReading =
  | { readonly outcome: 'read'; readonly entry: ClientEntry }
  | { readonly outcome: 'refused'; readonly errors: FieldErrors };

/** `current` is the entry being edited: what the form does not carry stays as it is. */
export function readClientForm(form: Parameters, current: ClientEntry | undefined): ClientReading {
  const candidate: Record<string, unknown> = current === undefined ? {} : pickEntry(current);
  for (const name of textNames) {
    const value = textField(form, name);
    if (value !== undefined) candidate[name] = value;
  }
  for (const name of listNames) {
    const value = lineField(form, name);
    if (value !== undefined) candidate[name] = value;
  }
  for (const name of flagNames) {
    const value = checkboxField(form, name);
    if (value !== undefined) candidate[name] = value;
  }
  if (current !== undefined) candidate.client_id = current.client_id;
  applyScope(candidate, form, current);
  applySecret(candidate, form, current);
  const parsed = clientEntryModel.safeParse(candidate);
  if (!parsed.success) return { outcome: 'refused', errors: fieldErrors(parsed.error.issues) };
  const problem = checkClientEntry(parsed.data);
  if (problem === undefined) return { outcome: 'read', entry: parsed.data };
  return { outcome: 'refused', errors: new Map([[problem.field, asSentence(problem.message)]]) };
}

/** A client keeps the form its restriction was written in (WRT-12); a new one gets `scope`. */
function applyScope(candidate: Record<string, unknown>, form: Parameters, current: ClientEntry | undefined): void {
  const typed = textField(form, 'scope');
  if (typed === undefined) return;
  const names = typed.split(/\s+/).filter((name) => name !== '');
  delete candidate.scope;
  if (current?.allowed_scopes !== undefined) candidate.allowed_scopes = names;
  else if (names.length > 0 || current?.scope !== undefined) candidate.scope = names.join(' ');
}

/** A public client has no secret; a blank field keeps the one there is (WEB-07). */
function applySecret(candidate: Record<string, unknown>, form: Parameters, current: ClientEntry | undefined): void {
  const typed = textField(form, 'client_secret') ?? '';
  const secret = typed === '' ? current?.client_secret : typed;
  delete candidate.client_secret;
  if (candidate.token_endpoint_auth_method !== 'none' && secret !== undefined) candidate.client_secret = secret;
}

/** The members of the model alone: a Client of the snapshot carries more. */
export function pickEntry(client: ClientEntry): Record<string, unknown> {
  const members = Object.keys(clientEntryModel.shape);
  return Object.fromEntries(Object.entries(client).filter(([name]) => members.includes(name)));
}
