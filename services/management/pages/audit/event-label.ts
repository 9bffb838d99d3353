// Names of audit events for people: `saml_request` becomes "SAML request". Filters and programs use the wire name.
import type { AuditEventType } from '#shared/model/audit/audit-event.ts';

/** Words that are abbreviations, written as the standards write them. */
const abbreviations: ReadonlyMap<string, string> = new Map([
  ['saml', 'SAML'],
  ['mcp', 'MCP'],
  ['userinfo', 'UserInfo'],
]);

export function eventLabel(type: AuditEventType): string {
  const words = type.split('_').map((word) => abbreviations.get(word) ?? word);
  const text = words.join(' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
