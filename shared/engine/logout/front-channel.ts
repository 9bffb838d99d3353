// The front channel: what a browser loads in frames when it logs out of a session (OpenID Connect Front-Channel Logout 1.0 §2).

import { type FindsClients, findEffectiveClient } from '#shared/engine/identities/effective-identities.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { MovableClock } from '#shared/model/domain/movable-clock.ts';
import { appendToRedirectUri } from '#shared/model/oauth-rules/redirect-uri.ts';
import type { SessionWithParticipants } from '#shared/state/store/ports/index.ts';

interface FrontChannelContext {
  readonly snapshot: ConfigurationSnapshot;
  readonly store: FindsClients;
  readonly clock: MovableClock;
}

/** A client that took part in a session and has a front-channel address. */
interface FrontChannelClient {
  readonly client: Client;
  readonly address: string;
  readonly sid: string;
  readonly issuer: string;
}

export async function frontChannelClients(
  ended: readonly Pick<SessionWithParticipants, 'sid' | 'participants'>[],
  { snapshot, store, clock }: FrontChannelContext,
): Promise<readonly FrontChannelClient[]> {
  const found = ended.flatMap(({ sid, participants }) =>
    participants.map(async (participant) => {
      if (participant.kind !== 'client') return undefined;
      const { client_id, issuer } = participant;
      const known = await findEffectiveClient(snapshot, store, client_id, clock.now());
      const address = known?.client.frontchannel_logout_uri;
      return known === undefined || address === undefined ? undefined : { client: known.client, address, sid, issuer };
    }),
  );
  return (await Promise.all(found)).filter((one) => one !== undefined);
}

/** The addresses of the frames, each once (LGO-17). */
export async function framesFor(
  ended: readonly Pick<SessionWithParticipants, 'sid' | 'participants'>[],
  context: FrontChannelContext,
): Promise<readonly string[]> {
  const clients = await frontChannelClients(ended, context);
  const addresses = clients.map(({ client, address, sid, issuer }) =>
    client.frontchannel_logout_session_required
      ? appendToRedirectUri(address, [
          ['iss', issuer],
          ['sid', sid],
        ])
      : address,
  );
  return [...new Set(addresses)];
}
