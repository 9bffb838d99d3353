// The page that asks the user to confirm a logout, and the page after a "no" (LGO-05, LGO-07).
import { Button } from '#shared/web/pages/components/button.tsx';
import { Hidden } from '#shared/web/pages/components/field.tsx';
import { OwnForm, OwnLink } from '#shared/web/pages/components/own-link.tsx';
import { type MessagePageProps, renderMessagePage } from '#shared/web/pages/message-page.tsx';

interface ConfirmationPageProps extends Pick<MessagePageProps, 'path'> {
  readonly logoutId: string;
  /** The accounts whose sessions would end. */
  readonly names: readonly string[];
}

export function renderConfirmationPage({ logoutId, names, path }: ConfirmationPageProps): string {
  return renderMessagePage({
    path,
    title: 'Log out?',
    message: <>You are logged in here as {names.length === 1 ? <Name>{names[0]}</Name> : 'several users:'}</>,
    scripts: ['submit-once.js'],
    children: (
      <>
        {names.length > 1 && (
          <ul class="plain">
            {names.map((name) => (
              <li key={name} class="clamp">
                <Name>{name}</Name>
              </li>
            ))}
          </ul>
        )}
        <p class="soft">An application asked to log you out. If this wasn’t you, stay logged in.</p>
        <OwnForm method="post" action="/logout" class="form">
          <Hidden name="logout_id" value={logoutId} />
          <Button name="confirm" value="yes" wide>
            Log out
          </Button>
          <Button kind="secondary" name="confirm" value="no" wide>
            Stay logged in
          </Button>
        </OwnForm>
      </>
    ),
  });
}

function Name({ children }: { readonly children: string | undefined }) {
  return (
    <strong>
      <bdi>{children}</bdi>
    </strong>
  );
}

export function renderStillLoggedInPage({ path }: Pick<MessagePageProps, 'path'>): string {
  return renderMessagePage({
    path,
    title: 'You are still logged in',
    message:
      'Your session here is still active. If the application logged you out, it can log you in again without asking.',
    children: <OwnLink href="/">To the dashboard</OwnLink>,
  });
}
