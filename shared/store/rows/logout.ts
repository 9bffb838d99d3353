// Rows of `logout_confirmations` and `saml_logouts`, which hold their record whole, and of `ended_assertions`.
import * as z from 'zod';
import { encoded, logoutConfirmationShape, samlLogoutShape } from '../json-columns.ts';

export const confirmationRow = z.object({ record: encoded(logoutConfirmationShape) });
export const samlLogoutRow = z.object({ record: encoded(samlLogoutShape) });
export const endedAssertionRow = z.object({ session_index: z.string() });
