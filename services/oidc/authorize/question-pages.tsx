// The pages between login and response: which account to use, and whether the application may have the requested access
// (SSO-17, SSO-35).

import { notStored, type Reply } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { Account, Candidate } from '#shared/model/domain/next-authorization-step.ts';
import { clientLogoAddress } from '#shared/web/pages/client-logo.ts';
import { Button } from '#shared/web/pages/components/button.tsx';
import { OwnForm } from '#shared/web/pages/components/own-link.tsx';
import { CancelForm, type FormTarget, HiddenFields } from '#shared/web/pages/login/login-screens.tsx';
import { withBrowserCookie } from '#shared/web/pages/login/login-step-reply.ts';
import { type LoginPageProps, renderLoginPage } from '#shared/web/pages/login-page.tsx';
import { pageOfClient } from '#shared/web/pages/page-reply.ts';
import { formTarget } from './answer-login-step.ts';
import type { LoginInProgress } from './find-login.ts';

export function accountPage(
  accounts: readonly Pick<Account, 'username' | 'email'>[],
  inProgress: LoginInProgress,
  request: ParsedRequest,
  context: ProtocolContext,
): Promise<Reply> {
  const target = formTarget(inProgress, request);
  return questionPage(inProgress, context, {
    title: 'Choose an account',
    heading: 'Choose an account',
    lead: 'You are already logged in here.',
    children: <AccountForm target={target} accounts={accounts} />,
  });
}

export function consentPage(
  { username }: Pick<Candidate, 'username'>,
  inProgress: LoginInProgress,
  request: ParsedRequest,
  context: ProtocolContext,
): Promise<Reply> {
  const target = formTarget(inProgress, request);
  const { client_id, scope } = inProgress.transaction.request;
  return questionPage(inProgress, context, {
    title: 'Allow access',
    heading: 'Allow access?',
    lead: (
      <>
        <strong>
          <bdi>{client_id}</bdi>
        </strong>{' '}
        requests access to your account,{' '}
        <strong>
          <bdi>{username}</bdi>
        </strong>
        .
      </>
    ),
    children: <ConsentForm target={target} scope={scope} />,
  });
}

type Question = Pick<LoginPageProps, 'title' | 'heading' | 'lead' | 'children'>;

async function questionPage({ client }: LoginInProgress, context: ProtocolContext, question: Question): Promise<Reply> {
  const logo = await clientLogoAddress(client.client, context);
  const text = renderLoginPage({
    ...question,
    ...{ path: context.path, client: client.client, logo },
    scripts: ['submit-once.js'],
  });
  return withBrowserCookie(notStored(pageOfClient(200, text, client.client)), context);
}

interface AccountFormProps {
  readonly target: FormTarget;
  readonly accounts: readonly Pick<Account, 'username' | 'email'>[];
}

function AccountForm({ target, accounts }: AccountFormProps) {
  return (
    <>
      <OwnForm method="post" action={target.action} class="form">
        <HiddenFields fields={target.hidden} />
        <ul class="accounts">
          {accounts.map(({ username, email }) => (
            <li key={username}>
              <Button kind="secondary" name="account" value={username} wide>
                <span class="clamp">
                  <bdi>{username}</bdi>
                </span>
                {email !== undefined && email !== '' && (
                  <span class="soft small clamp">
                    <bdi>{email}</bdi>
                  </span>
                )}
              </Button>
            </li>
          ))}
        </ul>
        <Button kind="quiet" name="use_another" value="1" wide>
          Use another account
        </Button>
      </OwnForm>
      <CancelForm target={target} />
    </>
  );
}

/** The meaning of the standard scopes, for users (OIDC Core §5.4, §11). */
const meanings: ReadonlyMap<string, string> = new Map([
  ['openid', 'know who you are'],
  ['profile', 'see your name and profile'],
  ['email', 'see your e-mail address'],
  ['address', 'see your postal address'],
  ['phone', 'see your phone number'],
  ['offline_access', 'keep access while you are not using it'],
]);

function ConsentForm({ target, scope }: { readonly target: FormTarget; readonly scope: readonly string[] }) {
  return (
    <>
      <OwnForm method="post" action={target.action} class="form">
        <HiddenFields fields={target.hidden} />
        {scope.length === 0 ? (
          <p>It requests no scope.</p>
        ) : (
          <ul class="scopes">
            {scope.map((name) => (
              <li key={name}>
                <code>
                  <bdi>{name}</bdi>
                </code>
                {meanings.has(name) && <span class="soft">: {meanings.get(name)}</span>}
              </li>
            ))}
          </ul>
        )}
        <Button name="consent" value="allow" wide>
          Allow
        </Button>
      </OwnForm>
      <CancelForm target={target} />
    </>
  );
}
