// Logins in a real browser, without JavaScript.
import { describeLogins } from './login-flows.ts';

describeLogins(false);
