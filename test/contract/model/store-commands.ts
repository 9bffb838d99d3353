// All random steps on a store and on the reference model, and the comparison at the end.
import { expect } from 'chai';
import fc from 'fast-check';
import type { OpenedStore } from '#shared/state/store/open-store.ts';
import { authorizationCommands } from './authorization-commands.ts';
import { type Command, command } from './command.ts';
import { coordinationCommands } from './coordination-commands.ts';
import { examCommands } from './exam-commands.ts';
import { faultCommands } from './fault-commands.ts';
import { identityCommands } from './identity-commands.ts';
import { logoutCommands } from './logout-commands.ts';
import { recorderCommands } from './recorder-commands.ts';
import type { ReferenceModel } from './reference-model.ts';
import { sessionCommands } from './session-commands.ts';
import { tokenCommands } from './token-commands.ts';

export const storeCommands: fc.Arbitrary<Command>[] = [
  fc.constantFrom(1, 1, 1, 4, 60, 299, 400, 1150, 86_400, 2_700_000).map((seconds) =>
    command(`wait ${seconds} s`, async (model) => {
      model.now = model.in(seconds);
    }),
  ),
  ...authorizationCommands,
  ...tokenCommands,
  ...identityCommands,
  ...coordinationCommands,
  ...faultCommands,
  ...examCommands,
  ...sessionCommands,
  ...logoutCommands,
  ...recorderCommands,
];

/** Checks that the visible state of the store at the end matches the model. */
export async function compareWhole(model: ReferenceModel, { store, audit }: OpenedStore): Promise<void> {
  for (const kind of ['user', 'client'] as const) {
    const listed = kind === 'user' ? await store.identities.listUsers() : await store.identities.listClients();
    const shown = listed.map((identity) => {
      const hash = identity.kind === 'client' ? identity.registration?.accessTokenHash : undefined;
      return [identity.name, identity.promotion.state, hash];
    });
    expect(shown).to.deep.equal(model.of(kind).map(({ name, state, hash }) => [name, state, hash]));
  }
  expect(store.recorderSwitch.state()).to.equal(model.recorderSwitch);
  const entries = await audit.read({ limit: -1 });
  expect(entries.map(({ event_type, details }) => `${event_type} ${details.name}`)).to.deep.equal(model.entries);
}
