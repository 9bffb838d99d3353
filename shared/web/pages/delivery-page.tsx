// A page that posts its fields onwards by itself: SAML answers (SAML bindings §3.5) and response_mode form_post. With
// script it leaves at once, without it the button does the same (WEB-29). It looks like the login it follows.
import type { ComponentChildren } from 'preact';
import { Button } from './components/button.tsx';
import { Hidden } from './components/field.tsx';
import { type LoginPageProps, renderLoginPage } from './login-page.tsx';

interface DeliveryPageProps extends Pick<LoginPageProps, 'title' | 'client' | 'logo'> {
  /** Where the form is posted. */
  readonly action: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** What is being delivered; a success when absent. */
  readonly heading?: string | undefined;
  /** Who receives it, shown to people whose browser stays on the page. */
  readonly recipient: string;
  /** What happens next, in one sentence. */
  readonly lead?: string | undefined;
  /** Why it is not the answer that was asked for; comes first. */
  readonly reason?: ComponentChildren;
}

export function renderDeliveryPage(props: DeliveryPageProps): string {
  const { action, fields, recipient, heading, reason, ...frame } = props;
  const lead = props.lead ?? 'One more step sends you back to the application.';
  return renderLoginPage({
    ...frame,
    // Nothing on it leads to a page of this server.
    path: (path) => path,
    heading: heading ?? 'You are logged in',
    lead: reason ?? lead,
    scripts: ['auto-submit.js'],
    children: (
      <>
        {reason !== undefined && <p>{lead}</p>}
        <p class="soft clamp">
          <bdi>{recipient}</bdi>
        </p>
        <form method="POST" action={action} data-auto-submit>
          {fields.map(([name, value]) => (
            <Hidden key={name} name={name} value={value} />
          ))}
          <Button wide>Continue</Button>
        </form>
      </>
    ),
  });
}
