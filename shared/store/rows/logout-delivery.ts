// A row of `logout_deliveries`.
import * as z from 'zod';
import { encoded, nameIdShape } from '../json-columns.ts';

const common = { sid: z.string(), username: z.string(), issuer: z.string() };

const recordShape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('client'), ...common, client_id: z.string(), jti: z.string() }),
  z.object({
    kind: z.literal('service_provider'),
    ...common,
    entity_id: z.string(),
    name_id: nameIdShape,
    session_indexes: z.array(z.string()),
    request_id: z.string(),
  }),
]);

export const deliveryRow = z.object({ id: z.string(), attempts: z.number(), record: encoded(recordShape) });

/** What one look takes up: the others are there at the next. */
export const takenUpAtOnce = 100;
