// The lines of a flow's sequence diagram, for the SVG of its page and for Mermaid (REC-20). In Mermaid, text of a
// request is only text of a message: each character that could end a line, begin a statement or be read as markup
// becomes an entity.
import { isDelivery, type KeptExchange, type RecordedEndpoint } from '#shared/model/domain/exchange.ts';

export type Party = 'browser' | 'client' | 'server';

export interface FlowLine {
  readonly from: Party;
  readonly to: Party;
  readonly text: string;
  readonly kind: 'request' | 'answer' | 'refusal';
  readonly exchange: KeptExchange;
}

/** Endpoints that a person's browser requests. The client itself requests the others. */
const byBrowser: ReadonlySet<RecordedEndpoint> = new Set([
  ...(['authorize', 'login', 'device', 'logout', 'saml_sso', 'saml_slo'] as const),
]);

const shownParameters = ['grant_type', 'response_type', 'client_id', 'scope', 'prompt', 'username'] as const;
const textMax = 60;

export function linesOf(exchanges: readonly KeptExchange[]): readonly FlowLine[] {
  return exchanges.flatMap((exchange): FlowLine[] => {
    const { method, path, status, content, decision, repeated } = exchange;
    const asker: Party = byBrowser.has(exchange.endpoint) ? 'browser' : 'client';
    const parameters = shownParameters.flatMap((name) => {
      const sent = content.parameters.find((parameter) => parameter.name === name);
      return sent === undefined ? [] : [`${name}=${sent.value}`];
    });
    const often = repeated > 1 ? ` × ${repeated}` : '';
    const request = shortened(`${method} ${path}${often} ${parameters.slice(0, 2).join(' ')}`.trim());
    const answer = shortened(`${statusText(status)} ${gistOf(exchange)}`.trim());
    const [from, to]: readonly [Party, Party] = isDelivery(exchange.endpoint)
      ? ['server', 'client']
      : [asker, 'server'];
    return [
      { from, to, text: request, kind: 'request', exchange },
      { from: to, to: from, text: answer, kind: decision === 'refused' ? 'refusal' : 'answer', exchange },
    ];
  });
}

/** A delivery may get no response. */
export function statusText(status: number): string {
  return status === 0 ? 'no response' : String(status);
}

/** A short summary of the response. A fault comes first, because long text is cut at its end. */
function gistOf(exchange: KeptExchange): string {
  const { fault } = exchange;
  return fault === undefined ? broughtBy(exchange) : `[fault ${fault}] ${broughtBy(exchange)}`;
}

function broughtBy({ content, reason, decision }: KeptExchange): string {
  const { answer } = content;
  if (decision === 'refused') return typeof answer.error === 'string' ? answer.error : (reason ?? '');
  const brings = [
    'code',
    'access_token',
    'refresh_token',
    'id_token',
    'device_code',
    'request_uri',
    'SAMLResponse',
    'active',
    'keys',
  ];
  const brought = brings.filter((name) => Object.hasOwn(answer, name));
  if (brought.length > 0) return brought.join(', ');
  return typeof answer.page === 'string' ? answer.page : '';
}

function shortened(text: string): string {
  return text.length <= textMax ? text : `${text.slice(0, textMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

const names: Readonly<Record<Party, string>> = { browser: 'B', client: 'C', server: 'S' };

/** Of several exchanges of a flow. */
export function mermaidLines(exchanges: readonly KeptExchange[]): readonly string[] {
  return linesOf(exchanges).map(({ from, to, kind, text }) => {
    const arrow = kind === 'request' ? '->>' : kind === 'refusal' ? '--x' : '-->>';
    return `  ${names[from]}${arrow}${names[to]}: ${asText(text)}`;
  });
}

export function mermaidWith(lines: readonly string[]): string {
  const head = [
    'sequenceDiagram',
    '  participant B as Browser',
    '  participant C as Client',
    '  participant S as Server',
  ];
  return `${[...head, ...lines].join('\n')}\n`;
}

/** Letters, digits and a few signs are unchanged. */
function asText(text: string): string {
  const safe = [...text]
    .map((sign) => (/^[\p{L}\p{N} ._/=?&×…,[\]()-]$/u.test(sign) ? sign : `#${sign.codePointAt(0) ?? 0};`))
    .join('');
  return safe === '' ? '-' : safe;
}
