// An attempt to tell somebody of the end of a session, as an exchange of the flow of that session (LGO-21, SLO-24). Here we
// ask and others answer; the recorder keeps it by the same rules as what we are asked.
import type { Instant } from '#shared/base/clock.ts';
import { fingerprintsOf } from '#shared/engine/recorder/fingerprints.ts';
import type { FlowKey } from '#shared/engine/recorder/flow-keys.ts';
import { isRecorderOn } from '#shared/engine/recorder/is-recorder-on.ts';
import { type Spoken, withoutSecrets } from '#shared/engine/recorder/without-secrets.ts';
import type { DeliveryEndpoint } from '#shared/model/domain/exchange.ts';
import type { DeliveryAnswer } from '#shared/model/domain/logout-delivery.ts';
import type { LogoutContext } from './logout-context.ts';

export type RecordingContext = Pick<LogoutContext, 'snapshot' | 'store' | 'clock' | 'random' | 'log'>;

export interface Attempt extends Pick<Spoken, 'parameters' | 'soap'> {
  readonly endpoint: DeliveryEndpoint;
  /** To what it belongs. */
  readonly flows: readonly FlowKey[];
  readonly address: string;
  readonly contentType: string;
  /** Real time. */
  readonly begunAt: Instant;
  readonly clientId?: string | undefined;
  readonly sp?: string | undefined;
  readonly username?: string | undefined;
  readonly answer: DeliveryAnswer;
  /** The participant confirmed that it was told. */
  readonly isDelivered: boolean;
}

/** Never throws: what cannot be recorded is logged. */
export async function recordDelivery(attempt: Attempt, context: RecordingContext): Promise<void> {
  const { snapshot, store, clock, random, log } = context;
  if (!isRecorderOn(context)) return;
  const { endpoint, flows, address, contentType, begunAt, clientId, sp, username, answer, isDelivered } = attempt;
  try {
    const fingerprints = await fingerprintsOf(store.sharedSecrets, random);
    const endedAt = clock.real();
    const { parameters, soap } = attempt;
    const requestHeaders = { 'Content-Type': contentType };
    const spoken = { parameters, soap, requestHeaders, responseHeaders: {}, answer: {} };
    const keepsSecrets = snapshot.settings.recorder.secrets === 'keep';
    store.exchanges.add({
      repeatKey: undefined,
      at: begunAt,
      shape: () => ({
        ...{ endpoint, at: begunAt, clock: clock.now(), durationMilliseconds: endedAt - begunAt },
        ...{ method: 'POST', path: address, status: answer.status ?? 0, clientId, username, sp },
        ...{ grantType: undefined, decision: isDelivered ? 'accepted' : 'refused', refusal: undefined },
        ...{ reason: isDelivered ? undefined : (answer.reason ?? 'it was not confirmed'), fault: undefined },
        ...withoutSecrets(spoken, fingerprints, keepsSecrets),
        keys: { named: flows, made: [] },
        ...{ address: undefined, requestId: '' },
      }),
    });
    await store.exchanges.announce(false);
  } catch (error) {
    log.debug({ err: error, endpoint }, 'an attempt to tell of a logout could not be recorded');
  }
}
