// The signing keys of a store, as its single row stores them, private parts unencrypted (CLU-09).
import * as z from 'zod';
import type { KeptKeys } from '#shared/model/domain/signing-keys.ts';
import { encoded } from '../json-columns.ts';

const former = z.object({
  kid: z.string(),
  publicKeyPem: z.string(),
  certificatePem: z
    .string()
    .nullable()
    .transform((pem) => pem ?? undefined),
});
const kept = z.object({
  ...{ kid: z.string(), publicKeyPem: z.string(), privateKeyPem: z.string(), certificatePem: z.string() },
});
const shape: z.ZodType<KeptKeys> = z.object({
  active: kept,
  previous: z.array(former).readonly(),
  next: kept.nullable().transform((key) => key ?? undefined),
});

export const keptKeysColumn = encoded(shape);
