// Rows of `sandboxes` and `sandbox_keys` as the domain sees them.
import * as z from 'zod';
import { type Sandbox, sandboxKeyKinds } from '#shared/domain/sandbox.ts';
import { detailsShape, encoded, instantColumn } from '../json-columns.ts';
import type { SandboxKey } from '../ports/sandboxes.ts';

export const sandboxRow = z.object({
  name: z.string(),
  instance_id: z.string(),
  created_at: instantColumn,
  expires_at: instantColumn,
  ttl_seconds: z.number(),
  settings: encoded(detailsShape),
  keys: z.enum(sandboxKeyKinds),
});

export const sandboxVersionRow = z.object({ instance_id: z.string(), newest_key: z.number() });

export const sandboxKeyRow = z.object({
  kid: z.string(),
  public_key: z.string(),
  private_key: z.string().nullable(),
  certificate: z.string().nullable(),
});

export const sandboxColumns = 'name, instance_id, created_at, expires_at, ttl_seconds, settings, keys';
export function sandboxOf(row: z.output<typeof sandboxRow>): Sandbox;
export function sandboxOf(row: z.output<typeof sandboxRow> | undefined): Sandbox | undefined;
export function sandboxOf(row: z.output<typeof sandboxRow> | undefined): Sandbox | undefined {
  return (
    row && {
      name: row.name,
      instanceId: row.instance_id,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      ttlSeconds: row.ttl_seconds,
      settings: row.settings,
      keys: row.keys,
    }
  );
}

export function sandboxKeyOf(row: z.output<typeof sandboxKeyRow>): SandboxKey {
  const { kid, public_key: publicKeyPem, private_key, certificate } = row;
  return { kid, publicKeyPem, privateKeyPem: private_key ?? undefined, certificatePem: certificate ?? undefined };
}

/** Ended in one transaction, so that nobody waits long for the writer. */
export const endedAtOnce = 50;
