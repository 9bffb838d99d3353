// All ports of one namespace, on either engine. Creating them reads nothing from the store. Compiled statements are
// shared by all namespaces, so that a thousand namespaces cost little more than one.
import type { StoreCondition } from '../ports/condition.ts';
import type { Exchanges } from '../ports/exchanges.ts';
import type { RuntimeStore } from '../ports/runtime-store.ts';
import { authorizationCodes, codeRows } from './authorization-codes.ts';
import { authorizationTransactions } from './authorization-transactions.ts';
import { namespaceClock } from './clock.ts';
import { generations } from './configuration-generations.ts';
import { consents } from './consents.ts';
import { deliveredResponses, rateCounters, sharedSecrets, verifiedAuthnRequests } from './coordination.ts';
import { deviceGrants } from './device-grants.ts';
import { exams } from './exams.ts';
import { faults } from './faults.ts';
import type { KnownState } from './known-state.ts';
import { logoutConfirmations } from './logout-confirmations.ts';
import { addLogoutDeliveries, logoutDeliveries } from './logout-deliveries.ts';
import { metadataDocuments } from './metadata-documents.ts';
import { pushedRequests } from './pushed-requests.ts';
import { recorderSwitch } from './recorder-switch.ts';
import { identities } from './runtime-identities.ts';
import { samlLogouts } from './saml-logouts.ts';
import { secondFactors } from './second-factors.ts';
import { sessionRows } from './session-rows.ts';
import { sessions } from './sessions.ts';
import { tokenMemory } from './token-memory.ts';
import { tokenState } from './token-state.ts';
import { keepTypedClaims, typedClaims } from './typed-claims.ts';
import type { OperationContext, StoreOwners } from './work.ts';

/** What an engine provides in addition to its operation context. */
interface EngineParts {
  readonly known: KnownState;
  readonly owners: StoreOwners;
  readonly condition: StoreCondition;
  readonly exchanges: Exchanges;
}

export function runtimeStore(
  context: OperationContext,
  { known, owners, condition, exchanges }: EngineParts,
): RuntimeStore {
  const memory = tokenMemory(context);
  const keep = keepTypedClaims(context);
  const rows = sessionRows(context);
  const codes = codeRows(context, rows);
  return {
    transactions: authorizationTransactions(context, codes, rows),
    codes: authorizationCodes(context, { codes, memory, sessions: rows, keepTypedClaims: keep }),
    pushedRequests: pushedRequests(context),
    deviceGrants: deviceGrants(context, keep),
    secondFactors: secondFactors(context),
    sessions: sessions(context, rows, addLogoutDeliveries(context), memory),
    consents: consents(context),
    logoutConfirmations: logoutConfirmations(context),
    logoutDeliveries: logoutDeliveries(context),
    samlLogouts: samlLogouts(context),
    tokenState: tokenState(context, memory, known),
    typedClaims: typedClaims(context),
    metadataDocuments: metadataDocuments(context),
    identities: identities(context, owners),
    generations: generations(context, known),
    rateCounters: rateCounters(context),
    sharedSecrets: sharedSecrets(context),
    verifiedAuthnRequests: verifiedAuthnRequests(context),
    deliveredResponses: deliveredResponses(context),
    clock: namespaceClock(context, known, rows),
    faults: faults(context, known),
    exams: exams(context),
    exchanges,
    recorderSwitch: recorderSwitch(context, known),
    condition,
  };
}
