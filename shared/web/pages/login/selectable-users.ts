// The users that a first screen offers: names to fill in (LOG-09), or users to choose from (LOG-05). Only the users
// that are shown are read. A search reads all users in batches.

import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import {
  eachEffectiveUser,
  effectiveUserNames,
  findEffectiveUsers,
  firstNamesWithPassword,
} from '#shared/engine/identities/effective-identities.ts';
import type { FirstFactorStep } from '#shared/engine/login/login-step.ts';
import {
  badgesMax,
  isFoundBy,
  type Persona,
  type SelectableUsers,
} from '#shared/web/pages/components/persona-picker.tsx';

/** How many names the quick-fill buttons offer (LOG-09). */
const quickNamesMax = 6;

type Context = Pick<ProtocolContext, 'snapshot' | 'store'>;

export async function selectableUsers(step: FirstFactorStep, { snapshot, store }: Context): Promise<SelectableUsers> {
  if (step.screen === 'two_step_password') return { shown: [], found: 0, all: 0 };
  if (step.screen === 'persona') return await usersToChoose(step, { snapshot, store });
  const names = await firstNamesWithPassword(snapshot, store, quickNamesMax);
  return { shown: names.map((username) => ({ username, description: '' })), found: names.length, all: names.length };
}

async function usersToChoose(
  { username: suggested, search }: FirstFactorStep,
  { snapshot, store }: Context,
): Promise<SelectableUsers> {
  if (search !== undefined) {
    const matching: Groups<Persona> = { declared: [], runtime: [] };
    let all = 0;
    for await (const users of eachEffectiveUser(snapshot, store)) {
      all += users.length;
      for (const { user, origin } of users) if (isFoundBy(user, search)) matching[origin].push(user);
    }
    const found = matching.declared.length + matching.runtime.length;
    return { shown: badgesOf(matching, suggested), found, all };
  }
  const { declared, runtime } = await effectiveUserNames(snapshot, store);
  const first = badgesOf({ declared: declared.map(named), runtime: runtime.map(named) }, suggested);
  const usernames = first.map(({ username }) => username);
  const all = declared.length + runtime.length;
  return { shown: await findEffectiveUsers(snapshot, store, usernames), found: all, all };
}

interface Groups<Named> {
  readonly declared: Named[];
  readonly runtime: Named[];
}

const named = (username: string) => ({ username });

/**
 * When not all users fit, at least half of the badges are for runtime users, the newest first. So a user that a test
 * has just created can be chosen (RUN-10). The users of the files keep their share even if tests create a thousand
 * users.
 */
function badgesOf<Named extends { readonly username: string }>(
  { declared, runtime }: Groups<Named>,
  suggested: string | undefined,
): readonly Named[] {
  const first = [...declared, ...runtime].filter(({ username }) => username === suggested);
  const files = declared.filter((person) => !first.includes(person));
  const made = runtime.filter((person) => !first.includes(person));
  const places = badgesMax - first.length;
  const newest = Math.min(made.length, Math.max(places - files.length, Math.ceil(places / 2)));
  return [...first, ...files.slice(0, places - newest), ...made.slice(made.length - newest)];
}
