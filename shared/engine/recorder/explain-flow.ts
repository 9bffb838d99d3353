// One sentence on the state of a flow. For a rejected one it names who rejected it, why, and which document defines
// that (REC-18).

import { faultNamed } from '#shared/engine/faults/catalogue/index.ts';
import { isDelivery, isRepeatable, type KeptExchange } from '#shared/model/domain/exchange.ts';
import type { Flow } from '#shared/model/domain/flow.ts';
import { findRefusal } from '#shared/model/refusals/index.ts';

export function explainFlow(flow: Flow, exchanges: readonly KeptExchange[]): string {
  const requests = exchanges.filter(({ endpoint }) => !isDelivery(endpoint));
  const deliveries = exchanges.filter(({ endpoint }) => isDelivery(endpoint));
  const sentences = [
    ...(requests.length === 0 && deliveries.length > 0 ? [] : [explainAnswers(flow, requests)]),
    ...undelivered(deliveries),
  ];
  return sentences.length === 0 ? 'Its session ended, and who took part was told.' : sentences.join(' ');
}

/** The recipients whose last notification failed; several attempts count as one. */
function undelivered(deliveries: readonly KeptExchange[]): readonly string[] {
  const last = new Map(
    deliveries.map((exchange) => [`${exchange.endpoint} ${exchange.clientId ?? exchange.sp}`, exchange]),
  );
  return [...last.values()]
    .filter(({ decision }) => decision === 'refused')
    .map(({ clientId, sp, path, reason }) => {
      const why = withoutFullStop(reason ?? 'it did not confirm');
      return `${clientId ?? sp ?? path} was not told of the end of the session: ${why}.`;
    });
}

function explainAnswers({ outcome, kind }: Flow, exchanges: readonly KeptExchange[]): string {
  // Documents that any client may fetch at any time do not end a flow.
  const last = exchanges.findLast(({ endpoint }) => !isRepeatable(endpoint)) ?? exchanges.at(-1);
  if (last === undefined) return 'Nothing of this flow is kept any more.';
  switch (outcome) {
    case 'refused':
      return refusedSentence(exchanges.findLast(({ decision }) => decision === 'refused') ?? last, exchanges);
    case 'open':
      // A polling device waits for a person elsewhere (RFC 8628 §3.3).
      if (last.decision === 'asked' && last.endpoint === 'token') {
        return `The device polls ${last.path}, and nobody has approved or denied it at /device yet${faultsOf(exchanges)}.`;
      }
      return last.decision === 'asked'
        ? `Nobody has answered what ${last.path} asked yet.`
        : `${last.path} was answered, and the client has not come for the rest of the ${kind} flow yet${faultsOf(exchanges)}.`;
    case 'completed': {
      const what = kind === 'other' ? 'requests were answered to their' : `${kind} flow was answered to its`;
      return `The ${what} end by ${last.path}${faultsOf(exchanges)}.`;
    }
  }
}

/** The faults that fired, however the client handled them. */
function faultsOf(exchanges: readonly KeptExchange[]): string {
  const fired = exchanges.flatMap(({ fault, path }) => (fault === undefined ? [] : [`${fault} at ${path}`]));
  return fired.length === 0 ? '' : `; wrong on purpose: ${fired.join(', ')} (docs/faults.md)`;
}

function refusedSentence(refused: KeptExchange, exchanges: readonly KeptExchange[]): string {
  const { path, status, reason, refusal, fault } = refused;
  const earlier = before(refused, exchanges);
  if (fault !== undefined && isRefusedByFault(refused)) {
    const why = withoutFullStop(reason ?? 'it was asked to');
    return `${path} answered ${status} because the fault ${fault} fired: ${why} (docs/faults.md)${faultsOf(earlier)}.`;
  }
  const row = refusal === undefined ? undefined : findRefusal(refusal);
  const why = withoutFullStop(reason ?? `it answered ${status}`);
  const where = row?.standard.reference ?? 'RFC 9110 §15';
  const sentence = `${path} refused ${wayOf(status)}: ${why} (${where})${faultsOf([...earlier, refused])}.`;
  if (faultBefore(refused, exchanges) !== undefined) {
    return `${sentence} A fault came first, so that the client need not have done anything wrong.`;
  }
  return row === undefined ? sentence : `${sentence} Right would have been: ${row.expected}`;
}

function before({ id }: KeptExchange, exchanges: readonly KeptExchange[]): readonly KeptExchange[] {
  return exchanges.filter((exchange) => exchange.id < id);
}

/**
 * The last fault that fired earlier in its flow. What follows does not count against the client, as in the verdict
 * (VER-06).
 */
export function faultBefore(exchange: KeptExchange, exchanges: readonly KeptExchange[]): string | undefined {
  return before(exchange, exchanges).findLast(({ fault }) => fault !== undefined)?.fault;
}

/** Only the fault rejected the request. Other faults change how a response is sent, whatever its content. */
export function isRefusedByFault({ fault, decision }: KeptExchange): boolean {
  const row = fault === undefined ? undefined : faultNamed(fault);
  return decision === 'refused' && row !== undefined && (row.phase === 'before' || row.refuses === true);
}

/** A refusal is not always an HTTP error: it can be on a login page or in the redirect address. */
function wayOf(status: number): string {
  if (status >= 400) return `with ${status}`;
  return status >= 300 ? `by its redirect (${status})` : `on its page (${status})`;
}

export function withoutFullStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}
