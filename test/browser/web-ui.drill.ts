// The web UI as users operate it, without JavaScript.
import { describeWebUi } from './web-ui-flows.ts';

describeWebUi(false);
