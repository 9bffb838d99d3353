// Whom a first screen offers: names to fill in (LOG-09), or people to choose from (LOG-05). Only those who are shown are
// read; a search goes through everybody piece by piece.
import {
  eachEffectiveUser,
  effectiveUserNames,
  findEffectiveUser,
  firstNamesWithPassword,
} from '#shared/domain/effective-identities.ts';
import type { RequestContext } from '#shared/http/request.ts';
import { badgesMax, isFoundBy, type PeopleToChoose, type Persona } from '#shared/pages/components/persona-picker.tsx';
import type { FirstFactorStep } from './login-step.ts';

/** How many names the quick-fill buttons offer (LOG-09). */
const quickNamesMax = 6;

type Context = Pick<RequestContext, 'snapshot' | 'store'>;

export async function peopleToOffer(step: FirstFactorStep, { snapshot, store }: Context): Promise<PeopleToChoose> {
  if (step.screen === 'two_step_password') return { shown: [], found: 0, all: 0 };
  if (step.screen === 'persona') return await peopleToChoose(step, { snapshot, store });
  const names = await firstNamesWithPassword(snapshot, store, quickNamesMax);
  return { shown: names.map((username) => ({ username, description: '' })), found: names.length, all: names.length };
}

async function peopleToChoose(
  { username: suggested, search }: FirstFactorStep,
  { snapshot, store }: Context,
): Promise<PeopleToChoose> {
  if (search !== undefined) {
    const matching: Persona[] = [];
    let all = 0;
    for await (const users of eachEffectiveUser(snapshot, store)) {
      all += users.length;
      for (const { user } of users) if (isFoundBy(user, search)) matching.push(user);
    }
    return { shown: suggestedFirst(matching, suggested).slice(0, badgesMax), found: matching.length, all };
  }
  const { declared, runtime } = await effectiveUserNames(snapshot, store);
  const names = [...declared, ...runtime].map((username) => ({ username }));
  const first = suggestedFirst(names, suggested).slice(0, badgesMax);
  const found = await Promise.all(first.map(({ username }) => findEffectiveUser(snapshot, store, username)));
  return { shown: found.flatMap((one) => one?.user ?? []), found: names.length, all: names.length };
}

function suggestedFirst<Named extends { readonly username: string }>(
  people: readonly Named[],
  suggested: string | undefined,
): readonly Named[] {
  const first = people.find(({ username }) => username === suggested);
  return first === undefined ? people : [first, ...people.filter((person) => person !== first)];
}
