// All ports of one namespace over PostgreSQL. Making them asks nothing of the store.
import type { StoreCondition } from '../ports/condition.ts';
import type { Exchanges } from '../ports/exchanges.ts';
import type { RuntimeStore } from '../ports/runtime-store.ts';
import type { ChangeEvents } from './audit/change-events.ts';
import { authorizationAdapter } from './authorization-adapter.ts';
import type { CachedState } from './cached-state.ts';
import { clockAdapter } from './clock-adapter.ts';
import { rateCountersAdapter, sharedSecretsAdapter, verifiedAuthnRequestsAdapter } from './coordination-adapter.ts';
import { deliveredResponsesAdapter } from './delivered-responses-adapter.ts';
import { deviceGrantsAdapter } from './device-grants-adapter.ts';
import { examsAdapter } from './exams-adapter.ts';
import { faultsAdapter } from './faults-adapter.ts';
import { generationsAdapter } from './generations-adapter.ts';
import { identitiesAdapter } from './identities-adapter.ts';
import { logoutConfirmationsAdapter } from './logout-confirmations-adapter.ts';
import { addLogoutDeliveries, logoutDeliveriesAdapter } from './logout-deliveries-adapter.ts';
import { metadataDocumentsAdapter } from './metadata-documents-adapter.ts';
import type { NamespaceContext } from './namespace-context.ts';
import type { Owners } from './proof-of-life.ts';
import { pushedRequestsAdapter } from './pushed-requests-adapter.ts';
import { recorderSwitchAdapter } from './recorder-switch-adapter.ts';
import { samlLogoutsAdapter } from './saml-logouts-adapter.ts';
import { secondFactorsAdapter } from './second-factors-adapter.ts';
import { sessionRows } from './session-rows.ts';
import { consentsAdapter, sessionsAdapter } from './sessions-adapter.ts';
import type { SharedLook } from './shared-look.ts';
import { tokenMemory } from './token-memory.ts';
import { tokenStateAdapter } from './token-state-adapter.ts';
import { typedClaimsAdapter, typedClaimsRows } from './typed-claims-rows.ts';

export interface SharedParts {
  readonly cached: CachedState;
  readonly sharedLook: SharedLook;
  readonly owners: Owners;
  readonly condition: StoreCondition;
  readonly exchanges: Exchanges;
}

export function postgresStore(
  context: NamespaceContext,
  events: ChangeEvents,
  { cached, sharedLook, owners, condition, exchanges }: SharedParts,
): RuntimeStore {
  const memory = tokenMemory(context);
  const sessions = sessionRows(context, events);
  const typedClaims = typedClaimsRows(context);
  return {
    ...authorizationAdapter(context, { memory, sessions, typedClaims }),
    pushedRequests: pushedRequestsAdapter(context),
    deviceGrants: deviceGrantsAdapter(context, typedClaims),
    secondFactors: secondFactorsAdapter(context),
    sessions: sessionsAdapter(context, sessions, events, addLogoutDeliveries(context), memory),
    consents: consentsAdapter(context, events),
    logoutConfirmations: logoutConfirmationsAdapter(context),
    logoutDeliveries: logoutDeliveriesAdapter(context, events),
    samlLogouts: samlLogoutsAdapter(context),
    tokenState: tokenStateAdapter(context, memory, () => cached.clockOf(context.ns)),
    typedClaims: typedClaimsAdapter(context, typedClaims),
    metadataDocuments: metadataDocumentsAdapter(context),
    identities: identitiesAdapter(context, events, owners),
    generations: generationsAdapter(context, cached, sharedLook),
    rateCounters: rateCountersAdapter(context),
    sharedSecrets: sharedSecretsAdapter(context),
    verifiedAuthnRequests: verifiedAuthnRequestsAdapter(context),
    deliveredResponses: deliveredResponsesAdapter(context),
    clock: clockAdapter(context, cached, sharedLook, events, sessions),
    faults: faultsAdapter(context, cached, sharedLook, events),
    exams: examsAdapter(context),
    exchanges,
    recorderSwitch: recorderSwitchAdapter(context, cached, sharedLook),
    condition,
  };
}
