// Signing keys and their published parts (MCP-38, MCP-40). A rotation here affects every process that uses the same
// keys directory. Its rejections are those of POST /api/keys/rotate.
import * as z from 'zod';
import { auditMoment } from '#shared/model/domain/movable-clock.ts';
import { discoveryDocument } from '#shared/model/oauth-rules/discovery-document.ts';
import { KeyRotationRefusedError } from '#shared/state/keys/key-ring.ts';
import { rotateAndRecord } from '#shared/state/keys/rotate-and-record.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import { successOutput } from '../common-models.ts';
import { recordLater } from '../record-call.ts';
import { defineTool, servedBy, type Tool } from '../tool.ts';
import { ToolFailure } from '../tool-failure.ts';

const getOidcDiscovery = defineTool({
  name: 'get_oidc_discovery',
  title: 'Read the discovery document',
  description:
    'Returns the OpenID Connect discovery document of a server with these settings. Its issuer is oauth.issuer, even if a running server uses issuer_from_request.',
  takesSandbox: true,
  arguments: {},
  output: { issuer: z.string(), jwks_uri: z.string() },
  handle(_args, context) {
    const { snapshot, ...addresses } = servedBy(context);
    return { ...discoveryDocument(snapshot, addresses) };
  },
});

const getJwks = defineTool({
  name: 'get_jwks',
  title: 'Read the key set',
  description: 'Returns the public keys that verify tokens, as in /.well-known/jwks.json, the active one first.',
  takesSandbox: true,
  arguments: {},
  output: { keys: z.array(z.record(z.string(), z.unknown())) },
  async handle(_args, { keys }) {
    return { keys: await keys.publicKeys() };
  },
});

const getKeysInfo = defineTool({
  name: 'get_keys_info',
  title: 'Read key information',
  description: 'Returns the ids of the active signing key and of the previous keys that still verify tokens.',
  takesSandbox: true,
  arguments: {},
  output: {
    active_kid: z.string(),
    previous_keys_count: z.int(),
    previous_kids: z.array(z.string()),
    max_previous_keys: z.int(),
  },
  async handle(_args, { keys }) {
    return { ...(await keys.information()) };
  },
});

const rotateKeys = defineTool({
  name: 'rotate_keys',
  title: 'Rotate the signing key',
  description:
    'Creates a new signing key and publishes it immediately, also for running servers with the same keys directory. reload_config does not undo it. Up to jwt.max_previous_keys old keys still verify tokens. Fails with jwt.external_keys.',
  mutating: true,
  destructive: true,
  refusesUnknown: true,
  waitsFor: 'the lock of the keys directory',
  takesSandbox: true,
  arguments: {},
  output: {
    ...successOutput,
    old_kid: z.string().optional(),
    new_kid: z.string().optional(),
    previous_keys_count: z.int().optional(),
    rotated_at: z.string().optional(),
  },
  async handle(_args, context) {
    try {
      const rotation = await rotateAndRecord(
        context,
        (event) => ({
          ...event,
          ...auditMoment(context.clock),
          username: 'mcp',
          endpoint: 'mcp:rotate_keys',
          method: 'MCP',
        }),
        (error, event) => {
          if (!(error instanceof RuntimeStoreUnavailableError)) throw error;
          // The new key is published: a failure here would make the caller rotate twice.
          void recordLater(event, context);
        },
      );
      return { success: true, ...rotation };
    } catch (error) {
      if (!(error instanceof KeyRotationRefusedError)) throw error;
      throw new ToolFailure(error, error);
    }
  },
});

export const keyTools: readonly Tool[] = [getOidcDiscovery, getJwks, getKeysInfo, rotateKeys];
