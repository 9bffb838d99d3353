// A page that posts its fields onwards by itself: SAML answers (SAML bindings §3.5) and response_mode form_post. With
// script it leaves at once, without it the button does the same (WEB-29).
import { Button } from './components/button.tsx';
import { Card } from './components/card.tsx';
import { Hidden } from './components/field.tsx';
import { LoginFooter } from './components/login-footer.tsx';
import { renderPage } from './page.tsx';

export interface DeliveryPageProps {
  readonly title: string;
  /** Where the form is posted. */
  readonly action: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** What is being delivered; a success when absent. */
  readonly heading?: string | undefined;
  /** Who receives it, shown to people whose browser stays on the page. */
  readonly recipient: string;
  /** One sentence under the heading. */
  readonly lead?: string | undefined;
}

export function renderDeliveryPage({ title, action, fields, recipient, heading, lead }: DeliveryPageProps): string {
  return renderPage({
    title,
    width: 'narrow',
    bodyClass: 'login-ground',
    footer: <LoginFooter />,
    scripts: ['auto-submit.js'],
    children: (
      <Card
        title={heading ?? 'You are logged in'}
        level={1}
        lead={lead ?? 'One more step sends you back to the application.'}
      >
        <p class="soft">
          <bdi>{recipient}</bdi>
        </p>
        <form method="post" action={action} data-auto-submit>
          {fields.map(([name, value]) => (
            <Hidden key={name} name={name} value={value} />
          ))}
          <Button wide>Continue</Button>
        </form>
      </Card>
    ),
  });
}
