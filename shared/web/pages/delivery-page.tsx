// A page that posts its fields automatically: SAML responses (SAML bindings §3.5) and response_mode form_post. With
// script it is sent at once. Without script the user presses the button (WEB-29). It looks like the login before it.
import type { ComponentChildren } from 'preact';
import { Button } from './components/button.tsx';
import { Hidden } from './components/field.tsx';
import { type LoginPageProps, renderLoginPage } from './login-page.tsx';

interface DeliveryPageProps extends Pick<LoginPageProps, 'title' | 'client' | 'logo' | 'path'> {
  /** Where the form is posted. */
  readonly action: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** What is being delivered. undefined: a success. */
  readonly heading?: string | undefined;
  /** The name of the recipient, shown to users whose browser stays on the page. */
  readonly recipient: string;
  /** What happens next, in one sentence. */
  readonly lead?: string | undefined;
  /** Why the response is not the requested one. Comes first. */
  readonly reason?: ComponentChildren;
}

export function renderDeliveryPage(props: DeliveryPageProps): string {
  const { action, fields, recipient, heading, reason, ...frame } = props;
  const lead = props.lead ?? 'One more step sends you back to the application.';
  return renderLoginPage({
    ...frame,
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
