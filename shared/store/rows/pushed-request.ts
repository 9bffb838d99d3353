// Rows of `pushed_requests`, which hold their record whole.
import * as z from 'zod';
import { encoded, pushedRequestShape } from '../json-columns.ts';

export const pushedRequestRow = z.object({ record: encoded(pushedRequestShape) });
