// The pages of /device: the form for code and login, and what it ends with. Every answer to a well-formed form is 200
// (DEV-09).
import type { Client } from '#shared/configuration/model/client-entry.ts';
import type { Reply } from '#shared/http/reply.ts';
import type { RequestContext } from '#shared/http/request.ts';
import type { ShownStep } from '#shared/login/login-screens.tsx';
import { loginStepReply } from '#shared/login/login-step-reply.ts';
import { Button } from '#shared/pages/components/button.tsx';
import { CodeField } from '#shared/pages/components/code-field.tsx';
import { renderMessagePage } from '#shared/pages/message-page.tsx';
import { page } from '#shared/pages/page-reply.ts';

export interface FormProps {
  readonly step: ShownStep;
  /** As typed, or normalized. */
  readonly userCode: string;
  /** What is wrong with the code itself. */
  readonly codeError?: string;
  /** Who asks, once the code named a pending grant. */
  readonly client: Client | undefined;
  readonly scope: readonly string[];
}

export async function formPage(
  { step, userCode, codeError, client, scope }: FormProps,
  context: RequestContext,
): Promise<Reply> {
  // The screens of a second step do not ask for the code again but carry it.
  const asksCode = step.step === 'first_factor' && step.screen !== 'two_step_password';
  const reply = await loginStepReply(
    {
      step,
      action: '/device',
      hidden: asksCode ? [] : [['user_code', userCode]],
      client,
      heading: 'Connect a device',
      lead: client ? (
        <Request client={client} scope={scope} />
      ) : (
        'Type the code that your device shows, then say who you are.'
      ),
      fields: asksCode && (
        <CodeField name="user_code" label="Code on your device" alphabet="letters" value={userCode} error={codeError} />
      ),
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
      <bdi>{client.client_id}</bdi> on your device asks to act for you
      {scope.length > 0 && (
        <>
          {' '}
          with the scope <bdi>{scope.join(' ')}</bdi>
        </>
      )}
      . Approve only if you started this yourself.
    </>
  );
}

const ends = {
  approved: ['Device approved', 'You can go back to your device now; it continues by itself.'],
  denied: ['Request denied', 'The device was not connected. You can close this page.'],
  unknown: ['Code not accepted', 'This code is invalid or expired. Check it, or let your device show a new one.'],
  decided: ['Code already used', 'This code was already used. Let your device show a new one.'],
  expired: ['Code expired', 'This code has expired. Let your device show a new one.'],
} as const;

export function endPage(end: keyof typeof ends): Reply {
  const [title, message] = ends[end];
  const tryAgain = end === 'approved' || end === 'denied' ? undefined : <a href="/device">Enter another code</a>;
  return page(200, renderMessagePage({ title, message, done: end === 'approved', children: tryAgain }));
}
