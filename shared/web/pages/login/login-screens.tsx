// The screens of a login step, the same on every surface. They are username and password, the two steps, the persona
// picker, the code screen, and the page that ends a login. The surface decides where the form goes and what it carries.
import type { ComponentChildren } from 'preact';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { FirstFactorStep, LoginStep, SecondFactorStep } from '#shared/engine/login/login-step.ts';
import { typedClaimsField } from '#shared/engine/login/read-typed-claims.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import { clientLogoAddress } from '#shared/web/pages/client-logo.ts';
import { Button } from '#shared/web/pages/components/button.tsx';
import { CodeField } from '#shared/web/pages/components/code-field.tsx';
import { Field, Hidden, TextArea } from '#shared/web/pages/components/field.tsx';
import { Notice } from '#shared/web/pages/components/notice.tsx';
import { OwnForm, OwnLink } from '#shared/web/pages/components/own-link.tsx';
import { isWidePicker, PersonaPicker, type SelectableUsers } from '#shared/web/pages/components/persona-picker.tsx';
import { QuickNames } from '#shared/web/pages/components/quick-names.tsx';
import { renderLoginPage } from '#shared/web/pages/login-page.tsx';
import { renderMessagePage } from '#shared/web/pages/message-page.tsx';
import { selectableUsers } from './selectable-users.ts';

export type ShownStep = Exclude<LoginStep, { readonly step: 'completed' }>;

/** The address that a form is posted to, and its hidden fields. */
export interface FormTarget {
  readonly action: string;
  readonly hidden: readonly (readonly [name: string, value: string])[];
}

export interface LoginScreenProps extends FormTarget {
  readonly step: ShownStep;
  /** Where the login can be cancelled: a separate form that carries no credentials (SSO-38). */
  readonly cancel?: FormTarget | undefined;
  /** The client whose colours, logo and texts the page shows. */
  readonly client?: Client | undefined;
  /** Replaces the heading `Log in` on the first screens. `Log in` fits every surface. */
  readonly heading?: string | undefined;
  /** One sentence under the heading. */
  readonly lead?: ComponentChildren;
  /** Fields before those of the login, only on the first screens. */
  readonly fields?: ComponentChildren;
  /** The login fields need no more input: the user continues with the values shown. */
  readonly showsFields?: boolean | undefined;
  /** Further submit buttons, below those of the login. */
  readonly buttons?: ComponentChildren;
  /** The label of the button that completes the login. Default: `Log in`. */
  readonly submit?: string | undefined;
  /** Another way to continue, below the card of the first screens. */
  readonly link?: { readonly href: string; readonly text: string } | undefined;
}

/** The whole document as text. See login-step-reply.ts for the reply with its headers. */
export async function renderLoginStep(props: LoginScreenProps, context: ProtocolContext): Promise<string> {
  const { step, client } = props;
  const { path, recording } = context;
  if (step.step === 'ended' || step.step === 'full') {
    const title = step.step === 'ended' ? 'The login has ended' : 'Please try again later';
    const keepsCookies = (await context.session()).presented;
    return renderMessagePage({
      path,
      title,
      requestId: recording?.requestId,
      message: keepsCookies ? step.message : `${step.message} If this happens again, allow cookies for this address.`,
      children: (
        <>
          <StartAgain {...props} />
          <CancelForm target={props.cancel} />
        </>
      ),
    });
  }
  const logo = client && (await clientLogoAddress(client, context));
  const frame = { path, client, logo };
  if (step.step === 'second_factor') {
    return renderLoginPage({
      ...frame,
      title: titleOf('Enter your code', step),
      scripts: ['submit-once.js'],
      heading: 'Enter your code',
      lead: 'Your password was correct. Now enter the six-digit code from your authenticator app.',
      children: (
        <>
          <CodeForm {...props} step={step} />
          <CancelForm target={props.cancel} />
        </>
      ),
    });
  }
  const people = await selectableUsers(step, context);
  const takesClaims = context.snapshot.settings.login.edit_claims;
  return renderLoginPage({
    ...frame,
    title: titleOf('Log in', step),
    heading: props.heading ?? (step.screen === 'persona' ? 'Choose a user' : 'Log in'),
    lead: props.lead ?? (step.screen === 'persona' && people.all > 0 ? 'No password is needed here.' : undefined),
    scripts: step.screen === 'persona' ? ['submit-once.js'] : ['submit-once.js', 'fill-in.js'],
    wide: step.screen === 'persona' && isWidePicker(people),
    below: props.link && (
      <p class="below">
        <OwnLink href={props.link.href}>{props.link.text}</OwnLink>
      </p>
    ),
    children: (
      <>
        {step.message !== undefined && step.field === undefined && <Notice kind="refusal">{step.message}</Notice>}
        <FirstFactorForm {...props} step={step} people={people} takesClaims={takesClaims} />
        <CancelForm target={props.cancel} />
      </>
    ),
  });
}

/** Screen readers read a rejection first, and it distinguishes the page's tab from others. */
function titleOf(title: string, { message }: FirstFactorStep | SecondFactorStep): string {
  return message === undefined ? title : `Rejected: ${title}`;
}

/** The form that cancels the login and returns to the application, on every page of a login. */
export function CancelForm({ target }: { readonly target: FormTarget | undefined }) {
  return target === undefined ? null : (
    <OwnForm method="post" action={target.action} class="cancel">
      <HiddenFields fields={target.hidden} />
      <Button kind="quiet" name="cancel" value="1" wide>
        Cancel
      </Button>
    </OwnForm>
  );
}

/** Shows the first screen again for the same request, so that the user need not go back to the application. */
function StartAgain({ action, hidden }: LoginScreenProps) {
  return (
    <OwnForm method="post" action={action}>
      <HiddenFields fields={hidden} />
      <Button name="change_username" value="1">
        Start again
      </Button>
    </OwnForm>
  );
}

type FirstFactorFormProps = LoginScreenProps & {
  readonly step: FirstFactorStep;
  readonly people: SelectableUsers;
  /** Whether claims can be typed for this login, on the screen where users are chosen. */
  readonly takesClaims: boolean;
};

function FirstFactorForm(props: FirstFactorFormProps) {
  switch (props.step.screen) {
    case 'persona':
      return <PersonaForm {...props} />;
    case 'two_step_username':
      return <PasswordForm {...props} asks={['username']} />;
    case 'two_step_password':
      return <PasswordForm {...props} asks={['password']} />;
    case 'password':
      return <PasswordForm {...props} asks={['username', 'password']} />;
  }
}

function PersonaForm({ step, action, hidden, people, takesClaims, fields, buttons }: FirstFactorFormProps) {
  if (people.all === 0) {
    return (
      <Notice kind="info">No users yet. Add one to users.yaml, or create one with POST /api/runtime/users.</Notice>
    );
  }
  return (
    <OwnForm method="post" action={action} class="form">
      <HiddenFields fields={hidden} />
      {fields}
      {/* Enter in a field presses the first button of a form: it must not choose a user. */}
      {fields !== undefined && (
        <>
          <div class="row">
            <Button kind="secondary" name="fill_username" value="">
              Check the code
            </Button>
            {buttons}
          </div>
          <h2>Choose a user</h2>
        </>
      )}
      {takesClaims && <TypedClaims step={step} />}
      <PersonaPicker people={people} suggested={step.username} search={step.search} />
      {fields === undefined && buttons}
    </OwnForm>
  );
}

/** Collapsed for users who only want to log in, and open when it has input. */
function TypedClaims({ step: { typedClaims, field, message } }: { readonly step: FirstFactorStep }) {
  return (
    <details class="more" open={typedClaims !== undefined}>
      <summary>Claims for this login</summary>
      <TextArea
        name={typedClaimsField}
        label="Claims as a JSON object"
        hint={
          <>
            Enter claims, then choose a user. In this login, they override the user’s own claims. Example:{' '}
            <code>{'{"given_name": "Alice"}'}</code>
          </>
        }
        error={field === 'login_claims' ? message : undefined}
        value={typedClaims}
        rows={5}
        monospace
      />
    </details>
  );
}

type PasswordFormProps = FirstFactorFormProps & { readonly asks: readonly ('username' | 'password')[] };

function PasswordForm(props: PasswordFormProps) {
  const { step, action, hidden, people, asks, fields, showsFields: fieldsStand, buttons, submit } = props;
  const errorOf = (field: 'username' | 'password') => (step.field === field ? step.message : undefined);
  const asksPasswordOnly = !asks.includes('username');
  const named = step.username !== undefined && step.username !== '';
  const comesFirst = asksPasswordOnly || fields === undefined || fieldsStand === true;
  return (
    <OwnForm method="post" action={action} class="form">
      <HiddenFields fields={hidden} />
      {asksPasswordOnly ? <ChosenUser username={step.username ?? ''} /> : fields}
      {asksPasswordOnly ? (
        // Not of type hidden, so that a password manager knows which user the password belongs to.
        <input type="text" name="username" value={step.username ?? ''} autoComplete="username" readOnly hidden />
      ) : (
        <Field
          name="username"
          label="Username"
          value={step.username ?? ''}
          error={errorOf('username')}
          required
          autoComplete="username"
          autoCapitalize="none"
          spellcheck={false}
          autoFocus={comesFirst && !named}
          enterKeyHint={asks.includes('password') ? 'next' : 'go'}
        />
      )}
      {asks.includes('password') && (
        <Field
          name="password"
          type="password"
          label="Password"
          error={errorOf('password')}
          required
          autoComplete="current-password"
          autoFocus={comesFirst && named}
          enterKeyHint="go"
        />
      )}
      <Button wide>{asks.includes('password') ? (submit ?? 'Log in') : 'Continue'}</Button>
      {asksPasswordOnly && <ChangeUsername />}
      {buttons}
      {people.shown.length > 0 && <QuickNames names={people.shown.map(({ username }) => username)} field="username" />}
    </OwnForm>
  );
}

function CodeForm({ step, action, hidden, buttons }: LoginScreenProps & { readonly step: SecondFactorStep }) {
  return (
    <OwnForm method="post" action={action} class="form">
      <HiddenFields fields={[...hidden, ['pending_second_factor', step.id]]} />
      <ChosenUser username={step.username} />
      <CodeField name="totp_code" label="Six-digit code" alphabet="digits" error={step.message} />
      <Button wide>Confirm</Button>
      <ChangeUsername />
      {buttons}
    </OwnForm>
  );
}

function ChosenUser({ username }: { readonly username: string }) {
  return (
    <p class="clamp">
      Logging in as{' '}
      <strong>
        <bdi>{username}</bdi>
      </strong>
    </p>
  );
}

function ChangeUsername() {
  return (
    <Button kind="quiet" name="change_username" value="1" wide formNoValidate>
      Use another username
    </Button>
  );
}

export function HiddenFields({ fields }: { readonly fields: LoginScreenProps['hidden'] }) {
  return (
    <>
      {fields.map(([name, value]) => (
        <Hidden key={name} name={name} value={value} />
      ))}
    </>
  );
}
