// All ports of one namespace over one database. Making them asks nothing of the store and compiles nothing that another
// namespace has compiled before, so that a thousand namespaces cost little more than one.

import { authorizationTransactions } from '../operations/authorization.ts';
import { authorizationCodes, codeRows } from '../operations/authorization-codes.ts';
import { namespaceClock } from '../operations/clock.ts';
import { consents } from '../operations/consents.ts';
import { deliveredResponses, rateCounters, sharedSecrets, verifiedAuthnRequests } from '../operations/coordination.ts';
import { deviceGrants } from '../operations/device-grants.ts';
import { exams } from '../operations/exams.ts';
import { faults } from '../operations/faults.ts';
import { identities } from '../operations/identities.ts';
import { logoutConfirmations } from '../operations/logout-confirmations.ts';
import { addLogoutDeliveries, logoutDeliveries } from '../operations/logout-deliveries.ts';
import { metadataDocuments } from '../operations/metadata-documents.ts';
import { pushedRequests } from '../operations/pushed-requests.ts';
import { recorderSwitch } from '../operations/recorder-switch.ts';
import { samlLogouts } from '../operations/saml-logouts.ts';
import { secondFactors } from '../operations/second-factors.ts';
import { sessionRows } from '../operations/session-rows.ts';
import { sessions } from '../operations/sessions.ts';
import { tokenMemory } from '../operations/token-memory.ts';
import { tokenState } from '../operations/token-state.ts';
import { keepTypedClaims, typedClaims } from '../operations/typed-claims.ts';
import type { StoreCondition } from '../ports/condition.ts';
import type { Exchanges } from '../ports/exchanges.ts';
import type { RuntimeStore } from '../ports/runtime-store.ts';
import type { CachedState } from './cached-state.ts';
import { generationsAdapter } from './generations-adapter.ts';
import { knownState } from './known-state.ts';
import type { NamespaceContext } from './namespace-context.ts';
import { operationContext } from './operation-context.ts';
import type { Outbox } from './outbox.ts';
import { type ProcessOwners, storeOwners } from './proof-of-life.ts';

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
  const known = knownState(context, cached);
  const memory = tokenMemory(operations);
  const keep = keepTypedClaims(operations);
  const rows = sessionRows(operations);
  const codes = codeRows(operations, rows);
  return {
    transactions: authorizationTransactions(operations, codes, rows),
    codes: authorizationCodes(operations, { codes, memory, sessions: rows, keepTypedClaims: keep }),
    pushedRequests: pushedRequests(operations),
    deviceGrants: deviceGrants(operations, keep),
    secondFactors: secondFactors(operations),
    sessions: sessions(operations, rows, addLogoutDeliveries(operations), memory),
    consents: consents(operations),
    logoutConfirmations: logoutConfirmations(operations),
    logoutDeliveries: logoutDeliveries(operations),
    samlLogouts: samlLogouts(operations),
    tokenState: tokenState(operations, memory, () => known.clock()),
    typedClaims: typedClaims(operations),
    metadataDocuments: metadataDocuments(operations),
    identities: identities(operations, storeOwners(owners)),
    generations: generationsAdapter(context, cached),
    rateCounters: rateCounters(operations),
    sharedSecrets: sharedSecrets(operations),
    verifiedAuthnRequests: verifiedAuthnRequests(operations),
    deliveredResponses: deliveredResponses(operations),
    clock: namespaceClock(operations, known, rows),
    faults: faults(operations, known),
    exams: exams(operations),
    exchanges,
    recorderSwitch: recorderSwitch(operations, known),
    condition,
  };
}
