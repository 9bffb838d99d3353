// All ports of one namespace over PostgreSQL. Making them asks nothing of the store.
import { deliveredResponses, rateCounters, sharedSecrets, verifiedAuthnRequests } from '../operations/coordination.ts';
import { deviceGrants } from '../operations/device-grants.ts';
import { exams } from '../operations/exams.ts';
import { identities } from '../operations/identities.ts';
import { logoutConfirmations } from '../operations/logout-confirmations.ts';
import { addLogoutDeliveries, logoutDeliveries } from '../operations/logout-deliveries.ts';
import { metadataDocuments } from '../operations/metadata-documents.ts';
import { pushedRequests } from '../operations/pushed-requests.ts';
import { samlLogouts } from '../operations/saml-logouts.ts';
import { secondFactors } from '../operations/second-factors.ts';
import { tokenMemory } from '../operations/token-memory.ts';
import { tokenState } from '../operations/token-state.ts';
import { keepTypedClaims, typedClaims } from '../operations/typed-claims.ts';
import type { StoreCondition } from '../ports/condition.ts';
import type { Exchanges } from '../ports/exchanges.ts';
import type { RuntimeStore } from '../ports/runtime-store.ts';
import type { ChangeEvents } from './audit/change-events.ts';
import { authorizationAdapter } from './authorization-adapter.ts';
import type { CachedState } from './cached-state.ts';
import { clockAdapter } from './clock-adapter.ts';
import { faultsAdapter } from './faults-adapter.ts';
import { generationsAdapter } from './generations-adapter.ts';
import type { NamespaceContext } from './namespace-context.ts';
import { operationContext } from './operation-context.ts';
import type { Owners } from './proof-of-life.ts';
import { recorderSwitchAdapter } from './recorder-switch-adapter.ts';
import { sessionRows } from './session-rows.ts';
import { consentsAdapter, sessionsAdapter } from './sessions-adapter.ts';
import type { SharedLook } from './shared-look.ts';

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
  const operations = operationContext(context, events);
  const memory = tokenMemory(operations);
  const keep = keepTypedClaims(operations);
  const sessions = sessionRows(context, events);
  return {
    ...authorizationAdapter(context, { memory, sessions, keepTypedClaims: keep }),
    pushedRequests: pushedRequests(operations),
    deviceGrants: deviceGrants(operations, keep),
    secondFactors: secondFactors(operations),
    sessions: sessionsAdapter(context, sessions, events, addLogoutDeliveries(operations), memory),
    consents: consentsAdapter(context, events),
    logoutConfirmations: logoutConfirmations(operations),
    logoutDeliveries: logoutDeliveries(operations),
    samlLogouts: samlLogouts(operations),
    tokenState: tokenState(operations, memory, () => cached.clockOf(context.ns)),
    typedClaims: typedClaims(operations),
    metadataDocuments: metadataDocuments(operations),
    identities: identities(operations, owners),
    generations: generationsAdapter(context, cached, sharedLook),
    rateCounters: rateCounters(operations),
    sharedSecrets: sharedSecrets(operations),
    verifiedAuthnRequests: verifiedAuthnRequests(operations),
    deliveredResponses: deliveredResponses(operations),
    clock: clockAdapter(context, cached, sharedLook, events, sessions),
    faults: faultsAdapter(context, cached, sharedLook, events),
    exams: exams(operations),
    exchanges,
    recorderSwitch: recorderSwitchAdapter(context, cached, sharedLook),
    condition,
  };
}
