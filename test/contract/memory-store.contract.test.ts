import { openEmptyMemoryStore } from '#test/support/open-test-store.ts';
import { describeStoreContract } from './store.contract.ts';

describeStoreContract('memory', openEmptyMemoryStore);
