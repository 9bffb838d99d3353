// The web UI as users operate it, with JavaScript. A drill runs the same tests without it.
import { describeWebUi } from './web-ui-flows.ts';

describeWebUi(true);
