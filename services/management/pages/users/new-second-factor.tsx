// /users/<username>/second-factor: a new TOTP secret with the QR code for an authenticator app. Nothing is written. A
// secret is set only in users.yaml or the body of a runtime user, and no page shows it afterwards (LOG-25). So this one
// is unused until a person copies it there. Loading the page again makes another.
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import { newTotpSecret } from '#shared/engine/login/totp.ts';
import { ButtonLink } from '#shared/web/pages/components/button.tsx';
import { Card } from '#shared/web/pages/components/card.tsx';
import { CodeBlock } from '#shared/web/pages/components/code-block.tsx';
import { QrCode, qrModules } from '#shared/web/pages/components/qr-code.tsx';
import { managementPage } from '../shell.tsx';
import { declaredUser } from './declared-user.ts';
import { userPath } from './list.tsx';

export async function newSecondFactorPage(request: ParsedRequest, context: ManagementContext) {
  const { found: user, elsewhere } = await declaredUser(request, context);
  if (user === undefined) return elsewhere;
  const { username } = user;
  const { secret, uri } = await newTotpSecret(username, context.random);
  const modules = await qrModules(uri);
  return managementPage(request, context, {
    title: 'New TOTP secret',
    section: '/users',
    noStore: true,
    lead: (
      <>
        For <bdi>{username}</bdi>. Nothing is saved yet. Scan the code, then write the secret into users.yaml.
      </>
    ),
    actions: <ButtonLink href={userPath(username, 'second-factor')}>Create another</ButtonLink>,
    children: (
      <>
        <Card title="1. Scan it" lead="Use any authenticator app, or give the address to a program.">
          <QrCode modules={modules} label={`QR code of the secret for ${username}`} />
          <CodeBlock id="totp-uri" title="otpauth address" text={uri} token />
        </Card>
        <Card
          title="2. Write it into users.yaml"
          lead={
            user.password === undefined
              ? 'Add these lines to the user’s entry. The user also needs a password. No page shows the secret again.'
              : 'Add these lines to the user’s entry. No page shows the secret again.'
          }
        >
          <CodeBlock id="totp-line" title="users.yaml" text={`totp_secret: ${secret}`} />
          <p class="soft">
            For a runtime user, set <code>totp_secret</code> in{' '}
            <span class="nowrap">
              <code>POST /api/runtime/users</code>
            </span>
            .
          </p>
          {!context.snapshot.settings.login.totp && (
            <p class="soft">
              Logins do not ask for a code yet, because <code>login.totp</code> is off.
            </p>
          )}
          <div class="row">
            <ButtonLink href={userPath(username)} kind="primary">
              Back to the user
            </ButtonLink>
          </div>
        </Card>
      </>
    ),
  });
}
