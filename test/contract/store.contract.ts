// What every runtime store must do in any implementation. An implementation joins with a factory that opens an empty
// store. See memory-store.contract.test.ts.

import type { OpenedStore } from '#shared/state/store/open-store.ts';
import { manualClock } from '#test/support/manual-clock.ts';
import type { TestStoreOptions } from '#test/support/open-test-store.ts';
import { describeAudit } from './parts/audit.ts';
import { describeAuthorization } from './parts/authorization.ts';
import { describeByteBounds } from './parts/byte-bounds.ts';
import { describeClock } from './parts/clock.ts';
import { describeCoordination } from './parts/coordination.ts';
import { type CopyDeviceGrant, describeDeviceGrants } from './parts/device-grants.ts';
import { describeExams } from './parts/exams.ts';
import { describeExchanges } from './parts/exchanges.ts';
import { describeFaults } from './parts/faults.ts';
import { describeIdentities } from './parts/identities.ts';
import { describeLogoutConfirmations } from './parts/logout-confirmations.ts';
import { describeLogoutDeliveries } from './parts/logout-deliveries.ts';
import { describeMetadataDocuments } from './parts/metadata-documents.ts';
import { describeNamespaces } from './parts/namespaces.ts';
import { describePending } from './parts/pending.ts';
import { describePromotion } from './parts/promotion.ts';
import { describePushedRequests } from './parts/pushed-requests.ts';
import { describeSamlLogouts } from './parts/saml-logouts.ts';
import { describeSecondFactors } from './parts/second-factors.ts';
import { describeSessions } from './parts/sessions.ts';
import { describeTokenState } from './parts/token-state.ts';
import { describeTypedClaims } from './parts/typed-claims.ts';
import { at } from './store-under-test.ts';

interface EmptyStore {
  readonly opened: OpenedStore;
  /** Inserts copies of the only device grant directly, because 10,000 store operations take long. */
  readonly copyDeviceGrant?: CopyDeviceGrant;
  remove(): void;
}

export type OpenEmptyStore = (options: TestStoreOptions) => Promise<EmptyStore>;

export function describeStoreContract(name: string, openEmptyStore: OpenEmptyStore): void {
  describe(`store contract: ${name}`, () => {
    let real: ReturnType<typeof manualClock>;
    let current: Awaited<ReturnType<OpenEmptyStore>>;
    beforeEach(async () => {
      real = manualClock(at(0));
      current = await openEmptyStore({ realClock: real });
    });
    afterEach(async () => {
      await current.opened.close();
      current.remove();
    });
    const under = () => current.opened;

    describeAuthorization(under);
    describePushedRequests(under);
    describeDeviceGrants(under, () => current.copyDeviceGrant);
    describeSecondFactors(under);
    describeSessions(under);
    describeLogoutConfirmations(under);
    describeLogoutDeliveries(under);
    describeSamlLogouts(under);
    describeTokenState(under, (seconds) => real.advance(seconds * 1000));
    describeTypedClaims(under, (seconds) => real.advance(seconds * 1000));
    describeMetadataDocuments(under);
    describeCoordination(under);
    describeIdentities(under);
    describePromotion(under);
    describeAudit(under);
    describeClock(under);
    describeFaults(under, (seconds) => real.advance(seconds * 1000));
    describeExams(under);
    describeExchanges(under);
    describeByteBounds(under);
    describePending(under, (seconds) => real.advance(seconds * 1000));
    describeNamespaces(() => current.opened);
  });
}
