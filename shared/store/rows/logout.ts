// Rows of `logout_confirmations` and `saml_logouts`: each holds its record whole.
import * as z from 'zod';
import { encoded, logoutConfirmationShape, samlLogoutShape } from '../json-columns.ts';

export const confirmationRow = z.object({ record: encoded(logoutConfirmationShape) });
export const samlLogoutRow = z.object({ record: encoded(samlLogoutShape) });
