// Logins in a real browser, without script.
import { describeLogins } from './login-flows.ts';

describeLogins(false);
