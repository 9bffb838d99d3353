// The user's next action on a login page of the identity provider.
import type { HtmlForm, HtmlPage } from './html-page.ts';
import type { ExamUser } from './visitor.ts';

type LoginStep =
  | { readonly form: HtmlForm; readonly filled: readonly (readonly [name: string, value: string])[] }
  /** The page requires something that the exam cannot provide. */
  | { readonly stuck: string };

/** undefined: the page requires no action. */
export function nextLoginStep({ forms }: HtmlPage, { username, password }: ExamUser): LoginStep | undefined {
  const has = (name: string) => (form: HtmlForm) => form.fields.some(([field]) => field === name);
  const offers = (name: string) => (form: HtmlForm) => form.buttons.some(([button]) => button === name);
  if (forms.some(has('totp_code'))) {
    return { stuck: `${username} has a second factor. Name a user without one` };
  }
  const typed = forms.find(has('password'));
  if (typed !== undefined) {
    return {
      form: typed,
      filled: [
        ['username', username],
        ['password', password],
      ],
    };
  }
  const named = forms.find((form) => has('username')(form) || offers('username')(form));
  if (named !== undefined) return { form: named, filled: [['username', username]] };
  const consent = forms.find(offers('consent'));
  if (consent !== undefined) return { form: consent, filled: [['consent', 'allow']] };
  const accounts = forms.find(offers('account'));
  if (accounts !== undefined) return { form: accounts, filled: [['use_another', '1']] };
  return undefined;
}
