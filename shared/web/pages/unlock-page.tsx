// The page that asks for the management secret: /management/unlock itself, and /login when that secret is missing
// (WEB-20, WEB-21).
import { Button } from './components/button.tsx';
import { Field } from './components/field.tsx';
import { Notice } from './components/notice.tsx';
import { OwnForm, OwnLink } from './components/own-link.tsx';
import { type LoginPageProps, renderLoginPage } from './login-page.tsx';

interface UnlockPageProps extends Pick<LoginPageProps, 'path'> {
  /** What was rejected, and why. */
  readonly notice?: string | undefined;
  /** The error of the secret that was typed. */
  readonly error?: string | undefined;
}

export function renderUnlockPage({ notice, error, path }: UnlockPageProps): string {
  return renderLoginPage({
    path,
    title: notice === undefined && error === undefined ? 'Unlock writing' : 'Rejected: Unlock writing',
    heading: 'Unlock writing',
    lead: 'Reading needs no secret. To change users, clients, keys or settings, enter the management secret once in this browser.',
    children: (
      <>
        {notice !== undefined && <Notice kind="refusal">{notice}</Notice>}
        <OwnForm method="post" action="/management/unlock" class="form">
          <Field
            name="management_secret"
            type="password"
            label="Management secret"
            hint="management_secret in settings.yaml, or IDP_MANAGEMENT_SECRET."
            error={error}
            autoComplete="off"
            required
            autoFocus
            enterKeyHint="go"
          />
          <Button wide>Unlock</Button>
        </OwnForm>
      </>
    ),
    below: (
      <p class="below">
        <OwnLink href="/">Back to the dashboard</OwnLink>
      </p>
    ),
  });
}
