// An attempt to notify a participant of the end of a session, as an exchange of the flow of that session (LGO-21,
// SLO-24). This server is the client here. The recorder applies the same rules as to received requests.
import type { Instant } from '#shared/base/clock.ts';
import { fingerprintsOf } from '#shared/engine/recorder/fingerprints.ts';
import { isRecorderOn } from '#shared/engine/recorder/is-recorder-on.ts';
import type { FlowKey, ObservedExchange } from '#shared/engine/recorder/observed-exchange.ts';
import { storedExchange } from '#shared/engine/recorder/stored-exchange.ts';
import type { DeliveryEndpoint } from '#shared/model/domain/exchange.ts';
import type { DeliveryAnswer } from '#shared/model/domain/logout-delivery.ts';
import type { LogoutContext } from './logout-context.ts';

export type RecordingContext = Pick<LogoutContext, 'snapshot' | 'store' | 'clock' | 'random' | 'log'>;

export interface Attempt extends Pick<ObservedExchange, 'parameters'> {
  readonly soap?: ObservedExchange['soap'];
  readonly endpoint: DeliveryEndpoint;
  /** The flows that it belongs to. */
  readonly flows: readonly FlowKey[];
  readonly address: string;
  readonly contentType: string;
  /** Real time. */
  readonly begunAt: Instant;
  readonly clientId?: string | undefined;
  readonly sp?: string | undefined;
  readonly username?: string | undefined;
  readonly answer: DeliveryAnswer;
  /** The participant confirmed the notification. */
  readonly isDelivered: boolean;
}

/** Never throws: an exchange that cannot be recorded is logged. */
export async function recordDelivery(attempt: Attempt, context: RecordingContext): Promise<void> {
  const { snapshot, store, clock, random, log } = context;
  if (!isRecorderOn(context)) return;
  const { endpoint, flows, address, contentType, begunAt, clientId, sp, username, answer, isDelivered } = attempt;
  try {
    const fingerprints = await fingerprintsOf(store.sharedSecrets, random);
    const observed: ObservedExchange = {
      ...{ endpoint, at: begunAt, clock: clock.now(), durationMilliseconds: clock.real() - begunAt },
      ...{ method: 'POST', path: address, status: answer.status ?? 0, clientId, username, sp, grantType: undefined },
      ...{ decision: isDelivered ? 'accepted' : 'refused', refusal: undefined, fault: undefined, details: undefined },
      reason: isDelivered ? undefined : (answer.reason ?? 'the participant did not confirm the logout'),
      ...{ parameters: attempt.parameters, namedInJson: [], soap: attempt.soap, noticed: undefined },
      ...{ requestHeaders: { 'Content-Type': contentType }, responseHeaders: {}, answer: {} },
      ...{ flows, browser: undefined, address: undefined, requestId: '', repeatKey: undefined },
    };
    const keepsSecrets = snapshot.settings.recorder.secrets === 'keep';
    store.exchanges.add(storedExchange(observed, fingerprints, keepsSecrets));
    await store.exchanges.announce(false);
  } catch (error) {
    log.debug({ err: error, endpoint }, 'a logout notification could not be recorded');
  }
}
