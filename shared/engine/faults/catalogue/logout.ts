// Faults of the logout that an application requests (FLT-K136 to FLT-K138).
import { type FaultRow, type FaultTransform, faultRow } from '../fault-row.ts';

const common = { at: ['logout'], phase: 'after' } as const;

export const logoutFaults: readonly FaultRow[] = [
  faultRow({
    ...common,
    id: 'FLT-K136',
    name: 'logout_no_redirect',
    effect: 'The browser gets the logout page instead of the redirect.',
    client: 'either',
    source: 'OIDC Logout §3',
    make: () => ({ hookPoint: 'logout', change: () => ({ address: undefined, state: undefined }) }),
  }),
  faultRow({
    ...common,
    id: 'FLT-K137',
    name: 'logout_state_wrong',
    effect: 'The redirect has a wrong state.',
    client: 'reject',
    source: 'OIDC Logout §3',
    make: () => withState(() => 'another-state'),
  }),
  faultRow({
    ...common,
    id: 'FLT-K138',
    name: 'logout_state_missing',
    effect: 'The redirect has no state.',
    client: 'reject',
    source: 'OIDC Logout §3',
    make: () => withState(() => undefined),
  }),
];

function withState(stateFor: () => string | undefined): FaultTransform {
  return {
    hookPoint: 'logout',
    change: ({ address, state }) => (state === undefined ? undefined : { address, state: stateFor() }),
  };
}
