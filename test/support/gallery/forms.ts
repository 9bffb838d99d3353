// All forms of the program with their outcomes, and the name by which a form on a page is found among them.
import { routeOf } from '../route-of.ts';
import type { FormRow } from './form-row.ts';
import { loginForms } from './login-forms.ts';
import { managementForms } from './management-forms.ts';
import { serviceProviderForms } from './service-provider-forms.ts';

export const forms: readonly FormRow[] = [...loginForms, ...managementForms, ...serviceProviderForms];

/** Method and route of what a form sends, as rows name it. */
export function formKey(method: string, address: string): string {
  const { pathname } = new URL(address);
  return `${method.toUpperCase()} ${routeOf(pathname) ?? pathname}`;
}
