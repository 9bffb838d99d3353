// /users/create and /users/<username>/edit: the user form and its changes to users.yaml (WEB-03 to WEB-05).
import type { ComponentChildren } from 'preact';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { checkUserEntry, type User, type UserEntry } from '#shared/model/configuration/user-entry.ts';
import { answerSaved, type FormState, formAnswer, formRevision, save } from '../answer-save.tsx';
import { asSentence, noErrors } from '../form-parts.tsx';
import { textField } from '../form-values.ts';
import { problemOfName } from '../names-in-addresses.ts';
import { managementPage } from '../shell.tsx';
import { declaredUser } from './declared-user.ts';
import { userPath } from './list.tsx';
import { UserForm } from './user-form.tsx';
import { newUserValues, readUserForm, type UserFormValues, valuesOfEntry, valuesOfForm } from './user-form-values.ts';

interface Shown extends FormState<UserFormValues> {
  readonly blankRows?: number;
}

export async function newUserPage(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  return showForm(request, context, undefined, { values: newUserValues });
}

export async function editUserPage(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const { found: user, elsewhere } = await declaredUser(request, context);
  return user === undefined
    ? elsewhere
    : showForm(request, context, user, { values: valuesOfEntry(user.username, user) });
}

export async function createUser(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const values = valuesOfForm(request.form, newUserValues);
  const username = textField(request.form, 'username') ?? '';
  return saveUser(request, context, undefined, username, values);
}

export async function saveEditedUser(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const { found: user, elsewhere } = await declaredUser(request, context);
  if (user === undefined) return elsewhere;
  const values = valuesOfForm(request.form, valuesOfEntry(user.username, user));
  return saveUser(request, context, user, user.username, {
    ...values,
    fields: new Map([...values.fields, ['username', user.username]]),
  });
}

async function saveUser(
  request: ParsedRequest,
  context: ManagementContext,
  current: User | undefined,
  username: string,
  values: UserFormValues,
): Promise<Reply> {
  if (request.form.has('add_attribute')) {
    return showForm(request, context, current, { values, blankRows: blankRowsOf(values) + 1 });
  }
  const reading = readUserForm(request.form, current);
  const errors = new Map(reading.outcome === 'refused' ? reading.errors : noErrors);
  const problem = current === undefined ? problemOfName(username, 'username') : undefined;
  if (problem !== undefined) errors.set('username', problem);
  if (reading.outcome === 'read') checkAcrossFields(reading.entry, current, context, errors);
  if (reading.outcome === 'refused' || errors.size > 0) {
    const attributes =
      reading.outcome === 'refused' && reading.attributes.length > 0 ? reading.attributes : values.attributes;
    return showForm(request, context, current, { values: { ...values, attributes }, errors });
  }
  const kind = current === undefined ? 'add_user' : 'replace_user';
  const result = await save(request, context, 'users', [{ kind, username, entry: reading.entry }]);
  return answerSaved(context, result, {
    code: current === undefined ? 'user_created' : 'user_saved',
    path: userPath(username),
    name: username,
    nameField: 'username',
    again: (refused) => showForm(request, context, current, { values, ...refused }),
  });
}

/** A user without a password can only be created where users are chosen without one (WEB-05). */
function checkAcrossFields(
  entry: UserEntry,
  current: UserEntry | undefined,
  context: ProtocolContext,
  errors: Map<string, string>,
): void {
  if (current === undefined && entry.password === undefined && context.snapshot.settings.login.mode !== 'persona') {
    errors.set('password', 'Enter a password. A user without a password can log in only in persona mode.');
  }
  const problem = checkUserEntry(entry);
  if (problem !== undefined) errors.set(problem.field, asSentence(problem.message));
}

function blankRowsOf({ attributes }: UserFormValues): number {
  return attributes.some(({ key, value }) => key === '' && value === '') ? 0 : 1;
}

async function showForm(
  request: ParsedRequest,
  context: ManagementContext,
  current: User | undefined,
  shown: Shown,
): Promise<Reply> {
  const { settings } = context.snapshot;
  const isNew = current === undefined;
  const action = isNew ? '/users/create' : userPath(current.username, 'edit');
  const heading: ComponentChildren = isNew ? 'New user' : <bdi>{current.username}</bdi>;
  return managementPage(request, context, {
    title: isNew ? 'New user' : 'Edit user',
    heading,
    lead: isNew ? 'Saved to users.yaml.' : 'Edit this user’s entry in users.yaml.',
    section: '/users',
    ...formAnswer(shown, action),
    children: (
      <UserForm
        action={action}
        values={shown.values}
        errors={shown.errors ?? noErrors}
        revision={formRevision(request, context, 'users')}
        isNew={isNew}
        hasPassword={current?.password !== undefined}
        passwordTyped={(request.form.first('password') ?? '') !== ''}
        personaMode={settings.login.mode === 'persona'}
        identityClasses={settings.allowed_identity_classes}
        blankRows={shown.blankRows ?? blankRowsOf(shown.values)}
        back={isNew ? '/users' : userPath(current.username)}
      />
    ),
  });
}
