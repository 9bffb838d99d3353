// The pages of /device: the form for code and login, and the final pages. Every response to a well-formed form is 200
// (DEV-09).

import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import { Button } from '#shared/web/pages/components/button.tsx';
import { CodeField } from '#shared/web/pages/components/code-field.tsx';
import { OwnLink } from '#shared/web/pages/components/own-link.tsx';
import type { ShownStep } from '#shared/web/pages/login/login-screens.tsx';
import { loginStepReply } from '#shared/web/pages/login/login-step-reply.ts';
import { renderMessagePage } from '#shared/web/pages/message-page.tsx';
import { page } from '#shared/web/pages/page-reply.ts';

export interface FormProps {
  readonly step: ShownStep;
  /** As typed, or normalized. */
  readonly userCode: string;
  /** The error of the code itself. */
  readonly codeError?: string;
  /** The requesting client, once the code named a pending grant. */
  readonly client: Client | undefined;
  readonly scope: readonly string[];
}

export async function formPage(
  { step, userCode, codeError, client, scope }: FormProps,
  context: ProtocolContext,
): Promise<Reply> {
  const codeStands = client !== undefined && codeError === undefined;
  // The screens of a second step do not ask for the code again but carry it as a hidden field.
  const asksCode = step.step === 'first_factor' && step.screen !== 'two_step_password';
  const reply = await loginStepReply(
    {
      step,
      action: '/device',
      hidden: asksCode ? [] : [['user_code', userCode]],
      client,
      heading: 'Connect a device',
      lead: client ? <Request client={client} scope={scope} /> : 'Enter the code that your device shows, then log in.',
      fields: asksCode && (
        <CodeField
          name="user_code"
          label="Code on your device"
          alphabet="letters"
          value={userCode}
          error={codeError}
          autoFocus={!codeStands}
        />
      ),
      showsFields: codeStands,
      buttons: (
        <Button kind="secondary" name="action" value="deny" wide formNoValidate>
          Deny
        </Button>
      ),
      submit: 'Approve',
    },
    context,
  );
  return { ...reply, status: 200 };
}

function Request({ client, scope }: { readonly client: Client; readonly scope: readonly string[] }) {
  return (
    <>
      <bdi>{client.client_id}</bdi> on your device requests access to your account
      {scope.length > 0 && (
        <>
          {' '}
          with the scope <bdi>{scope.join(' ')}</bdi>
        </>
      )}
      . Approve only if you started this.
    </>
  );
}

/** Why a code cannot be decided, or no longer. */
export const codeProblems = {
  unknown: 'This code is invalid or expired. Check it, or get a new code from your device.',
  decided: 'This code was already used. Get a new code from your device.',
  expired: 'This code has expired. Get a new code from your device.',
} as const;

export type CodeProblem = keyof typeof codeProblems;

const ends = {
  approved: ['Device approved', 'You can go back to your device now. It continues automatically.'],
  denied: ['Request denied', 'The device was not connected. You can close this page.'],
} as const;

const problemTitles = { unknown: 'Code not accepted', decided: 'Code already used', expired: 'Code expired' } as const;

export function endPage(end: keyof typeof ends, { path }: ProtocolContext): Reply {
  const [title, message] = ends[end];
  return page(200, renderMessagePage({ title, message, path, done: end === 'approved' }));
}

/** The message does not depend on the credentials that came with the code (DEV-14). The link keeps the typed code. */
export function problemPage(problem: CodeProblem, typed: string, { path }: ProtocolContext): Reply {
  // User input may have any length.
  const userCode = typed.slice(0, 64);
  const address = problem === 'unknown' ? `/device?${new URLSearchParams({ user_code: userCode })}` : '/device';
  return page(
    200,
    renderMessagePage({
      path,
      title: problemTitles[problem],
      message: codeProblems[problem],
      children: (
        <>
          {problem === 'unknown' && (
            <p class="clamp">
              You entered <strong class="code">{userCode}</strong>
            </p>
          )}
          {problem === 'decided' && (
            <p>If you have just approved it, go back to your device. It continues automatically.</p>
          )}
          <OwnLink href={address}>{problem === 'unknown' ? 'Correct the code' : 'Enter another code'}</OwnLink>
        </>
      ),
    }),
  );
}
