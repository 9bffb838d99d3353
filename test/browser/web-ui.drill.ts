// The web UI as people use it, without script.
import { describeWebUi } from './web-ui-flows.ts';

describeWebUi(false);
