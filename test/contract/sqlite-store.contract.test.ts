import { openEmptyFileStore } from '#test/support/open-test-store.ts';
import { describeStoreContract } from './store.contract.ts';

describeStoreContract('sqlite', () => openEmptyFileStore('sqlite'));
describeStoreContract('stack', () => openEmptyFileStore('stack'));
