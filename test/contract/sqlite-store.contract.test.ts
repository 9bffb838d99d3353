import { openEmptyFileStore } from '#test/support/open-test-store.ts';
import { describeStoreContract } from './store.contract.ts';

describeStoreContract('sqlite', (options) => openEmptyFileStore('sqlite', options));
describeStoreContract('stack', (options) => openEmptyFileStore('stack', options));
