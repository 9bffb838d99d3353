// One sentence on the state of a flow. For a rejected one it names who rejected it, why, and which document defines
// that (REC-18).

import { faultNamed } from '#shared/engine/faults/catalogue/index.ts';
import { isDelivery, isRepeatable, type KeptExchange, type RecordedEndpoint } from '#shared/model/domain/exchange.ts';
import type { Flow, FlowKind } from '#shared/model/domain/flow.ts';
import { findRefusal } from '#shared/model/refusals/index.ts';

export function explainFlow(flow: Flow, exchanges: readonly KeptExchange[]): string {
  const requests = exchanges.filter(({ endpoint }) => !isDelivery(endpoint));
  const deliveries = exchanges.filter(({ endpoint }) => isDelivery(endpoint));
  const sentences = [
    ...(requests.length === 0 && deliveries.length > 0 ? [] : [explainAnswers(flow, requests)]),
    ...undelivered(deliveries),
  ];
  return sentences.length === 0 ? 'The session ended, and every participant was notified.' : sentences.join(' ');
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
      return `${clientId ?? sp ?? path} was not notified that the session ended: ${why}.`;
    });
}

function explainAnswers({ outcome, kind }: Flow, exchanges: readonly KeptExchange[]): string {
  // Documents that any client may fetch at any time do not end a flow.
  const last = exchanges.findLast(({ endpoint }) => !isRepeatable(endpoint)) ?? exchanges.at(-1);
  if (last === undefined) return 'The recorder no longer has any request of this flow.';
  switch (outcome) {
    case 'refused':
      return refusedSentence(exchanges.findLast(({ decision }) => decision === 'refused') ?? last, exchanges);
    case 'open': {
      if (last.decision !== 'asked') {
        return `Waiting for the client to continue the ${kind} flow. Last request: ${last.path}.${faultsOf(exchanges)}`;
      }
      // A polling device waits for a person elsewhere (RFC 8628 §3.3).
      return last.endpoint === 'token'
        ? `Waiting for someone to approve the device at /device. The device polls ${last.path}.${faultsOf(exchanges)}`
        : `Waiting for someone to ${awaitedStep[last.endpoint] ?? 'log in'}.`;
    }
    case 'completed':
      return `${completedStep[last.endpoint] ?? completedFlow[kind]}. Last request: ${last.path}.${faultsOf(exchanges)}`;
  }
}

const awaitedStep: Readonly<Partial<Record<RecordedEndpoint, string>>> = {
  device: 'approve the device',
  logout: 'confirm the logout',
  saml_slo: 'confirm the logout',
};

const completedStep: Readonly<Partial<Record<RecordedEndpoint, string>>> = {
  logout: 'Logout completed',
  saml_slo: 'Logout completed',
  saml_attribute_query: 'Attribute query completed',
};

const completedFlow: Readonly<Record<FlowKind, string>> = {
  code: 'Login completed',
  device: 'Device login completed',
  password: 'Login completed',
  client_credentials: 'Token issued',
  refresh: 'Refresh completed',
  saml: 'Login completed',
  other: 'Requests completed',
};

/** The faults that fired, however the client handled them. */
function faultsOf(exchanges: readonly KeptExchange[]): string {
  const fired = exchanges.flatMap(({ fault, path }) => (fault === undefined ? [] : [`${fault} at ${path}`]));
  return fired.length === 0 ? '' : ` Fault${fired.length === 1 ? '' : 's'}: ${fired.join(', ')} (docs/faults.md).`;
}

function refusedSentence(refused: KeptExchange, exchanges: readonly KeptExchange[]): string {
  const { path, status, reason, refusal, fault } = refused;
  const earlier = before(refused, exchanges);
  if (fault !== undefined && isRefusedByFault(refused)) {
    const why = reason === undefined ? '' : `: ${withoutFullStop(reason)}`;
    return `${path} returned ${status} because the fault ${fault} fired${why} (docs/faults.md).${faultsOf(earlier)}`;
  }
  const row = refusal === undefined ? undefined : findRefusal(refusal);
  const why = withoutFullStop(reason ?? `the status is ${status}`);
  const where = row?.standard.reference ?? 'RFC 9110 §15';
  const said = `${path} rejected the request ${wayOf(status)}: ${why} (${where}).${faultsOf([...earlier, refused])}`;
  if (faultBefore(refused, exchanges) !== undefined) {
    return `${said} An earlier fault may be the cause, so the client may have done nothing wrong.`;
  }
  return row === undefined ? said : `${said} Expected: ${row.expected}`;
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

/** Only the fault rejected the request. Other faults change how a response is sent, not its content. */
export function isRefusedByFault({ fault, decision }: KeptExchange): boolean {
  const row = fault === undefined ? undefined : faultNamed(fault);
  return decision === 'refused' && row !== undefined && (row.phase === 'before' || row.refuses === true);
}

/** A rejection is not always an HTTP error: it can be on a login page or in the redirect address. */
function wayOf(status: number): string {
  if (status >= 400) return `with ${status}`;
  return status >= 300 ? `with a redirect (${status})` : `on its page (${status})`;
}

export function withoutFullStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}
