// Logins in a real browser, with JavaScript. A drill runs the same tests without it.
import { describeLogins } from './login-flows.ts';

describeLogins(true);
