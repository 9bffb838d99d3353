// All ports of one namespace over one database. Making them asks nothing of the store and compiles nothing that another
// namespace has compiled before, so that a thousand namespaces cost little more than one.
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
import { authorizationAdapter } from './authorization-adapter.ts';
import type { CachedState } from './cached-state.ts';
import { clockAdapter } from './clock-adapter.ts';
import { faultsAdapter } from './faults-adapter.ts';
import { generationsAdapter } from './generations-adapter.ts';
import type { NamespaceContext } from './namespace-context.ts';
import { operationContext } from './operation-context.ts';
import type { Outbox } from './outbox.ts';
import { type ProcessOwners, storeOwners } from './proof-of-life.ts';
import { recorderSwitchAdapter } from './recorder-switch-adapter.ts';
import { sessionRows } from './session-rows.ts';
import { consentsAdapter, sessionsAdapter } from './sessions-adapter.ts';

export interface SharedParts {
  readonly cached: CachedState;
  readonly owners: ProcessOwners;
  readonly condition: StoreCondition;
  readonly exchanges: Exchanges;
}

export function sqliteStore(
  context: NamespaceContext,
  outbox: Outbox,
  { cached, owners, condition, exchanges }: SharedParts,
): RuntimeStore {
  const operations = operationContext(context, outbox);
  const memory = tokenMemory(operations);
  const keep = keepTypedClaims(operations);
  const sessions = sessionRows(context, outbox);
  return {
    ...authorizationAdapter(context, { memory, sessions, keepTypedClaims: keep }, outbox),
    pushedRequests: pushedRequests(operations),
    deviceGrants: deviceGrants(operations, keep),
    secondFactors: secondFactors(operations),
    sessions: sessionsAdapter(context, sessions, outbox, addLogoutDeliveries(operations), memory),
    consents: consentsAdapter(context, outbox),
    logoutConfirmations: logoutConfirmations(operations),
    logoutDeliveries: logoutDeliveries(operations),
    samlLogouts: samlLogouts(operations),
    tokenState: tokenState(operations, memory, () => cached.clockOf(context.ns)),
    typedClaims: typedClaims(operations),
    metadataDocuments: metadataDocuments(operations),
    identities: identities(operations, storeOwners(owners)),
    generations: generationsAdapter(context, cached),
    rateCounters: rateCounters(operations),
    sharedSecrets: sharedSecrets(operations),
    verifiedAuthnRequests: verifiedAuthnRequests(operations),
    deliveredResponses: deliveredResponses(operations),
    clock: clockAdapter(context, cached, outbox, sessions),
    faults: faultsAdapter(context, cached, outbox),
    exams: exams(operations),
    exchanges,
    recorderSwitch: recorderSwitchAdapter(context, cached),
    condition,
  };
}
