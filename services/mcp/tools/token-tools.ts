// Issuing, decoding and verifying tokens (MCP-29 to MCP-34). These are test tools, not grants. Scope and resource are
// used as given, so that a tester can create tokens that a resource server must reject. The rule about extra claims
// applies here too (MCP-32).
import * as z from 'zod';
import {
  type EffectiveClient,
  type EffectiveUser,
  findEffectiveClient,
  findEffectiveUser,
} from '#shared/engine/identities/effective-identities.ts';
import { claimChangeFields, readClaimChanges, type TestTokenChanges } from '#shared/engine/tokens/claim-changes.ts';
import { checkExtraClaims } from '#shared/engine/tokens/extra-claims.ts';
import { issueUserTokens } from '#shared/engine/tokens/issue-tokens.ts';
import { keyRingSigner } from '#shared/engine/tokens/signer.ts';
import { decodeToken, judgeToken } from '#shared/engine/tokens/verify-token.ts';
import { tokenLifetimeMinutes } from '#shared/model/configuration/settings/token-lifetimes.ts';
import { noRequestedClaims } from '#shared/model/domain/authorization-request.ts';
import { toolRefusals } from '#shared/model/refusals/families/mcp-tools.ts';
import { OAuthError } from '#shared/model/refusals/oauth-error.ts';
import { signingAlgorithms } from '#shared/protocol/jose/signing-algorithms.ts';
import { successOutput } from '../common-models.ts';
import { defineTool, servedBy, type Tool, type ToolContext } from '../tool.ts';
import { ToolFailure, toolFailure } from '../tool-failure.ts';
import { clientIdArgument, unknownClient } from './client-tools.ts';
import { unknownUser, usernameArgument } from './user-tools.ts';

const listOfTexts = (description: string) =>
  z.array(z.string('must be a string'), 'must be a list of strings').optional().meta({ description });

const tokenArgument = z.string('must be a string').meta({ description: 'The token, a compact JWT.' });

const { least: minutesLeast, most: minutesMost } = tokenLifetimeMinutes;
/**
 * Two ranges, so that the published schema and the enforced one are identical: a lifetime of 0 minutes does not exist.
 */
const lifetimeArgument = z.union(
  [z.int().min(minutesLeast).max(minutesMost), z.int().min(-minutesMost).max(-1)],
  `must be a whole number from ${minutesLeast} to ${minutesMost}, or from ${-minutesMost} to -1`,
);

const { set_claims, remove_claims, audience, id_token } = claimChangeFields;

const generateToken = defineTool({
  name: 'generate_token',
  title: 'Issue tokens for a user',
  description:
    'Issues an access token for a declared user without a login, to test a resource server. The running server’s keys sign it, so a resource server that trusts its JWKS accepts it. With client_id, the token is bound to that client and comes with a refresh token. With scope openid, it also comes with an ID token. Scope and resource are not checked against the client.',
  mutating: true,
  takesSandbox: true,
  arguments: {
    username: usernameArgument,
    expires_in_minutes: lifetimeArgument
      .meta({
        description: 'Lifetime in minutes. Default: as configured. Negative: expired that long ago.',
      })
      .optional(),
    nbf: z
      .int('must be a whole number')
      .min(0, 'must not be negative')
      .optional()
      .meta({ description: 'Start of validity, in seconds since the epoch. Default: now.' }),
    client_id: clientIdArgument
      .meta({ description: 'A declared client to bind the token to. Default: unbound, without refresh token.' })
      .optional(),
    scope: z
      .string('must be a string')
      .optional()
      .meta({ description: 'Scopes separated by spaces, such as `openid profile`. Not checked.' }),
    extra_claims: z.record(z.string(), z.unknown(), 'must be an object').optional().meta({
      description:
        'Additional claims of the access token, such as `{"purpose": "test"}`. Standard claims are rejected.',
    }),
    id_token_claims: listOfTexts('Claims of the ID token, such as `["email", "groups"]`.'),
    userinfo_claims: listOfTexts('Claims that /userinfo returns for this token, such as `["entitlements"]`.'),
    set_claims: set_claims.optional(),
    remove_claims: remove_claims.optional(),
    audience: audience.optional(),
    id_token: id_token.optional(),
    resource: listOfTexts('Resources (RFC 8707) for `aud` of the access token, such as `["https://api.example.org"]`.'),
  },
  output: {
    ...successOutput,
    access_token: z.string().optional(),
    token_type: z.string().optional(),
    expires_in: z.int().optional().meta({ description: 'Seconds.' }),
    refresh_token: z.string().optional(),
    id_token: z.string().optional(),
  },
  async handle(args, context) {
    const { keys, clock, random } = context;
    const { snapshot, issuer } = servedBy(context);
    const user = await findUser(args.username, context);
    if (user === undefined) throw unknownUser();
    const client = args.client_id === undefined ? undefined : await findClient(args.client_id, context);
    if (args.client_id !== undefined && client === undefined) throw unknownClient();
    const extra = extraClaims(args.extra_claims);
    const scope = [...new Set((args.scope ?? '').split(/\s+/).filter((name) => name !== ''))];
    const resource = args.resource ?? [];
    const changes = changesOf(args, { idToken: scope.includes('openid'), hasResource: resource.length > 0 });
    const authorization = {
      user: user.user,
      client: client?.client,
      userInstance: user.instanceId,
      clientInstance: client?.instanceId,
      scope,
      resource,
      claims: {
        id_token: args.id_token_claims ?? noRequestedClaims.id_token,
        userinfo: args.userinfo_claims ?? noRequestedClaims.userinfo,
      },
      authenticatedAt: clock.now(),
      amr: undefined,
      nonce: undefined,
      family: random.token(16),
      refresh: client === undefined ? undefined : { scope, resource },
    };
    const lifetimeMinutes = args.expires_in_minutes;
    const { scope: _scope, ...tokens } = await issueUserTokens(
      authorization,
      { lifetimeMinutes, notBefore: args.nbf, extra, changes },
      { snapshot, issuer, signer: keyRingSigner(keys), clock, random },
    );
    return { success: true, ...tokens };
  },
});

const decode = defineTool({
  name: 'decode_token',
  title: 'Decode a token',
  description:
    'Returns the claims of a JWT without verifying signature or expiry. Use verify_token to check whether it is valid.',
  takesSandbox: true,
  arguments: { token: tokenArgument },
  output: { ...successOutput, claims: z.record(z.string(), z.unknown()).optional() },
  handle({ token }) {
    const decoded = decodeToken(token);
    if (decoded === undefined) throw toolFailure(toolRefusals.tool_token_not_a_jwt);
    return { success: true, claims: { ...decoded.payload } };
  },
});

const verify = defineTool({
  name: 'verify_token',
  title: 'Verify a token',
  description:
    'Checks the signature, expiry and, if given, the audience of a token against the keys of this server. Returns valid: false with the reason for an invalid token. Does not check whether the token was revoked.',
  takesSandbox: true,
  arguments: {
    token: tokenArgument,
    audience: z
      .string('must be a string')
      .optional()
      .meta({ description: 'Required `aud` of the token. Default: any audience or resource.' }),
  },
  output: {
    valid: z.boolean(),
    claims: z.record(z.string(), z.unknown()).optional(),
    reason: z.string().optional(),
  },
  async handle({ token, audience }, { keys, clock }) {
    const now = clock.now();
    const verified = await judgeToken(token, { keys, now });
    if ('problem' in verified) {
      if (verified.problem === 'expired') return { valid: false, reason: 'The token has expired.' };
      if (verified.problem === 'not_yet_valid') return { valid: false, reason: 'The token is not valid yet (nbf).' };
      return {
        valid: false,
        reason: `The token is not a ${signingAlgorithms.join(' or ')} token with an expiry that a key of this server signed.`,
      };
    }
    if (audience !== undefined && !audiencesOf(verified.claims.aud).includes(audience)) {
      return { valid: false, reason: 'The token was issued for another audience.' };
    }
    return { valid: true, claims: { ...verified.claims } };
  },
});

export const tokenTools: readonly Tool[] = [generateToken, decode, verify];

/** The copy has only declared users. A sandbox has its runtime users, too. */
type FoundUser = Pick<EffectiveUser, 'user' | 'instanceId'>;
type FoundClient = Pick<EffectiveClient, 'client' | 'instanceId'>;

async function findUser(username: string, context: ToolContext): Promise<FoundUser | undefined> {
  const { snapshot } = servedBy(context);
  if (context.sandbox !== undefined) return findEffectiveUser(snapshot, context.sandbox.store, username);
  const user = snapshot.users.get(username);
  return user && { user };
}

async function findClient(clientId: string, context: ToolContext): Promise<FoundClient | undefined> {
  const { snapshot } = servedBy(context);
  if (context.sandbox !== undefined) {
    return findEffectiveClient(snapshot, context.sandbox.store, clientId, context.clock.now());
  }
  const client = snapshot.clients.get(clientId);
  return client && { client };
}

function extraClaims(value: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, unknown>> {
  if (value === undefined) return {};
  try {
    return checkExtraClaims(value);
  } catch (error) {
    if (error instanceof OAuthError) throw new ToolFailure({ kind: 'invalid' }, error);
    throw error;
  }
}

function changesOf(...wanted: Parameters<typeof readClaimChanges>): TestTokenChanges | undefined {
  const changes = readClaimChanges(...wanted);
  if (changes === undefined || !('problem' in changes)) return changes;
  throw toolFailure(toolRefusals.tool_claim_changes_wrong, { problem: changes.problem });
}

function audiencesOf(claim: unknown): readonly unknown[] {
  return Array.isArray(claim) ? claim : [claim];
}
