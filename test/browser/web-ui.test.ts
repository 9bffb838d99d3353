// The web UI as people use it, with script; without it they are a drill.
import { describeWebUi } from './web-ui-flows.ts';

describeWebUi(true);
