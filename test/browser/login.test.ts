// Logins in a real browser, with script; without it they are a drill.
import { describeLogins } from './login-flows.ts';

describeLogins(true);
