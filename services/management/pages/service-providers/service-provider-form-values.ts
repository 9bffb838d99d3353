// The special cases of the service provider form (SPM-28): addresses may be typed as plain URLs. An unchanged control
// leaves the file unchanged, however the file writes the value.

import type { Parameters } from '#shared/base/parameters.ts';
import { serviceProviderKind } from '#shared/model/configuration/entry-kinds.ts';
import { formFields } from '#shared/model/configuration/projections/form.ts';
import { valueAt } from '#shared/model/configuration/read-model.ts';
import {
  type ServiceProviderEntry,
  serviceProviderEntryModel,
} from '#shared/model/configuration/service-provider-entry.ts';
import { asSentence, type FieldErrors, fieldErrors } from '../form-parts.tsx';
import { type Edited, type FormValues, isUntouched, shownValues, typedMembers } from '../form-values.ts';

export const serviceProviderForm = formFields([serviceProviderKind.key, ...serviceProviderKind.fields]);

export function newServiceProviderValues(): FormValues {
  return valuesOfEntry(serviceProviderEntryModel.parse({}));
}

export function valuesOfEntry(entry: ServiceProviderEntry): FormValues {
  const values = shownValues(serviceProviderForm, entry);
  const { acs = [] } = entry;
  const areAddresses = acs.every(({ url: _, ...more }) => Object.values(more).every((value) => value === undefined));
  return areAddresses ? new Map([...values, ['acs', acs.map(({ url }) => url).join('\n')]]) : values;
}

type ServiceProviderReading =
  | { readonly outcome: 'read'; readonly entry: ServiceProviderEntry }
  | { readonly outcome: 'refused'; readonly errors: FieldErrors };

/** `current` is the entry being edited: its name and members that the form does not contain stay unchanged. */
export function readServiceProviderForm(
  form: Parameters,
  current: ServiceProviderEntry | undefined,
): ServiceProviderReading {
  const edited = current && { entry: current, shown: valuesOfEntry(current) };
  const members = typedMembers(serviceProviderKind, serviceProviderForm, form, edited);
  if (typeof members.acs === 'string') members.acs = members.acs.split(/\s+/);
  if (edited !== undefined) keepUntouched(members, form, edited);
  const parsed = serviceProviderEntryModel.safeParse(members);
  if (!parsed.success) return { outcome: 'refused', errors: fieldErrors(parsed.error.issues) };
  const problem = serviceProviderKind.check(parsed.data);
  if (problem === undefined) return { outcome: 'read', entry: parsed.data };
  return { outcome: 'refused', errors: new Map([[controlOf(problem.field), asSentence(problem.message)]]) };
}

/** The name of the control for a dotted path below an entry. */
export function controlOf(path: string): string {
  return path.split(/[.[]/, 1)[0] ?? path;
}

function keepUntouched(
  members: Record<string, unknown>,
  form: Parameters,
  { entry, shown }: Edited<ServiceProviderEntry>,
): void {
  for (const control of serviceProviderForm) {
    const { name, field } = control;
    const isKept = field === serviceProviderKind.key || !form.has(name) || isUntouched(form, control, shown);
    if (isKept) members[field.name] = valueAt(entry, field.path);
  }
}
