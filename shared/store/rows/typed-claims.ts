// A row of `typed_claims`.
import * as z from 'zod';
import { claimsShape, encoded, instantColumn } from '../json-columns.ts';

export const typedClaimsRow = z.object({ kept_until: instantColumn, record: encoded(claimsShape) });
