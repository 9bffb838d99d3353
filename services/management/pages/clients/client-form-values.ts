// The special cases of the client form (WEB-07): the two spellings of the scope restriction share one control, and a
// public client has no secret.

import type { Parameters } from '#shared/base/parameters.ts';
import { keyAuthMethod } from '#shared/model/configuration/client-authentication.ts';
import { type ClientEntry, clientEntryModel } from '#shared/model/configuration/client-entry.ts';
import { clientKind } from '#shared/model/configuration/entry-kinds.ts';
import { formFields } from '#shared/model/configuration/projections/form.ts';
import { asSentence, type FieldErrors, fieldErrors } from '../form-parts.tsx';
import { type Edited, type FormValues, isUntouched, shownValues, textField, typedMembers } from '../form-values.ts';

export const clientForm = formFields([clientKind.key, ...clientKind.fields]);

export function newClientValues(secret: string): FormValues {
  const values = valuesOfEntry(clientEntryModel.parse({ client_id: 'new' }));
  return new Map([...values, ['client_id', ''], ['client_secret', secret]]);
}

export function valuesOfEntry(entry: ClientEntry): FormValues {
  return shownValues(clientForm, { ...entry, scope: entry.allowed_scopes?.join(' ') ?? entry.scope });
}

type ClientReading =
  | { readonly outcome: 'read'; readonly entry: ClientEntry }
  | { readonly outcome: 'refused'; readonly errors: FieldErrors };

/** `current` is the entry being edited: members that the form does not contain stay unchanged. */
export function readClientForm(form: Parameters, current: ClientEntry | undefined): ClientReading {
  const edited = current && { entry: current, shown: valuesOfEntry(current) };
  const members = typedMembers(clientKind, clientForm, form, edited);
  if (current !== undefined) members.client_id = current.client_id;
  applyScope(members, form, edited);
  if (members.token_endpoint_auth_method === 'none' || members.token_endpoint_auth_method === keyAuthMethod)
    delete members.client_secret;
  const parsed = clientEntryModel.safeParse(members);
  if (!parsed.success) return { outcome: 'refused', errors: fieldErrors(parsed.error.issues) };
  const problem = clientKind.check(parsed.data);
  if (problem === undefined) return { outcome: 'read', entry: parsed.data };
  return { outcome: 'refused', errors: new Map([[problem.field, asSentence(problem.message)]]) };
}

/** A client keeps the spelling of its restriction (WRT-12). A new one gets `scope`. */
function applyScope(members: Record<string, unknown>, form: Parameters, edited: Edited<ClientEntry> | undefined): void {
  const typed = textField(form, 'scope');
  const isKept = clientForm.some(
    (control) => control.name === 'scope' && edited !== undefined && isUntouched(form, control, edited.shown),
  );
  if (typed === undefined || isKept) return;
  const current = edited?.entry;
  const names = typed.split(/\s+/).filter((name) => name !== '');
  delete members.scope;
  if (current?.allowed_scopes !== undefined) members.allowed_scopes = names;
  else if (names.length > 0 || current?.scope !== undefined) members.scope = names.join(' ');
}
