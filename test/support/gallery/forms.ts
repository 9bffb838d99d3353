// All forms of the program with their outcomes, and the name that identifies a form on a page.
import { routeOf } from '../route-of.ts';
import type { FormRow } from './form-row.ts';
import { loginForms } from './login-forms.ts';
import { managementForms } from './management-forms.ts';
import { serviceProviderForms } from './service-provider-forms.ts';

export const forms: readonly FormRow[] = [...loginForms, ...managementForms, ...serviceProviderForms];

/** Method and route of a form, in the format of the rows. */
export function formKey(method: string, address: string): string {
  const { pathname } = new URL(address);
  return `${method.toUpperCase()} ${routeOf(pathname) ?? pathname}`;
}
