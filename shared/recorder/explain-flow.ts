// One sentence on how a flow stands; of a refused one it names who refused, why, and where that is written (REC-18).
import { isDelivery, type KeptExchange } from '#shared/domain/exchange.ts';
import type { Flow } from '#shared/domain/flow.ts';
import { findRefusal } from '#shared/refusals/index.ts';

export function explainFlow(flow: Flow, exchanges: readonly KeptExchange[]): string {
  const asked = exchanges.filter(({ endpoint }) => !isDelivery(endpoint));
  const told = exchanges.filter(({ endpoint }) => isDelivery(endpoint));
  const sentences = [...(asked.length === 0 && told.length > 0 ? [] : [explainAnswers(flow, asked)]), ...untold(told)];
  return sentences.length === 0 ? 'Its session ended, and who took part was told.' : sentences.join(' ');
}

/** Of whom was told last without success; several attempts are one. */
function untold(told: readonly KeptExchange[]): readonly string[] {
  const last = new Map(told.map((exchange) => [`${exchange.endpoint} ${exchange.clientId ?? exchange.sp}`, exchange]));
  return [...last.values()]
    .filter(({ decision }) => decision === 'refused')
    .map(({ clientId, sp, path, reason }) => {
      const why = withoutStop(reason ?? 'it did not confirm');
      return `${clientId ?? sp ?? path} was not told of the end of the session: ${why}.`;
    });
}

function explainAnswers({ outcome, kind }: Flow, exchanges: readonly KeptExchange[]): string {
  const last = exchanges.at(-1);
  if (last === undefined) return 'Nothing of this flow is kept any more.';
  switch (outcome) {
    case 'refused':
      return refusedSentence(exchanges.findLast(({ decision }) => decision === 'refused') ?? last);
    case 'open':
      return last.decision === 'asked'
        ? `Nobody has answered what ${last.path} asked yet.`
        : `${last.path} was answered, and the client has not come for the rest of the ${kind} flow yet${faultsOf(exchanges)}.`;
    case 'completed': {
      const what = kind === 'other' ? 'requests were' : `${kind} flow was`;
      return `The ${what} answered to its end by ${last.path}${faultsOf(exchanges)}.`;
    }
  }
}

/** What went wrong on purpose, whatever the client made of it. */
function faultsOf(exchanges: readonly KeptExchange[]): string {
  const fired = exchanges.flatMap(({ fault, path }) => (fault === undefined ? [] : [`${fault} at ${path}`]));
  return fired.length === 0 ? '' : `; wrong on purpose: ${fired.join(', ')} (docs/faults.md)`;
}

function refusedSentence({ path, status, reason, refusal, fault }: KeptExchange): string {
  if (fault !== undefined) {
    return `${path} answered ${status} because the fault ${fault} fired: ${withoutStop(reason ?? 'it was asked to')} (docs/faults.md).`;
  }
  const row = refusal === undefined ? undefined : findRefusal(refusal);
  const why = withoutStop(reason ?? `it answered ${status}`);
  const where = row?.standard.reference ?? 'RFC 9110 §15';
  const right = row === undefined ? '' : ` Right would have been: ${row.expected}`;
  return `${path} refused ${wayOf(status)}: ${why} (${where}).${right}`;
}

/** A refusal need not be an error of HTTP: a login page says it, or the address to which the browser is sent. */
function wayOf(status: number): string {
  if (status >= 400) return `with ${status}`;
  return status >= 300 ? `by its redirect (${status})` : `on its page (${status})`;
}

export function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}
