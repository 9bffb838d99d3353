// The tokens that a flow issued, with the values that make a client reject them: the audience and the validity, beside
// the clock at issuance. The server does not see what the client does with the response, so it cannot report more.
import { type Instant, instant } from '#shared/base/clock.ts';
import { exchangeId } from '#shared/engine/recorder/show-exchange.ts';
import { type Decoded, isDelivery, isRepeatable, type KeptExchange } from '#shared/model/domain/exchange.ts';
import { Card } from '#shared/web/pages/components/card.tsx';
import { Facts } from '#shared/web/pages/components/facts.tsx';
import { Notice } from '#shared/web/pages/components/notice.tsx';
import { distanceText, utcText } from '../instants.tsx';

export function IssuedTokens({ exchanges }: { readonly exchanges: readonly KeptExchange[] }) {
  const last = exchanges.findLast((exchange) => exchange.decision === 'accepted' && issuedBy(exchange).length > 0);
  if (last === undefined) return null;
  const next = exchanges.find(({ id, endpoint }) => id > last.id && !isRepeatable(endpoint) && !isDelivery(endpoint));
  return (
    <Card
      title="Issued tokens"
      lead={
        <>
          {next === undefined
            ? `Last response: ${last.path}. This server cannot see whether the client accepted it. `
            : `Response of ${last.path}. The client continued with ${next.path}. `}
          If the client rejected the response, one of these values differs from what it expects.
        </>
      }
    >
      <div class="stack">
        <ClockOf exchange={last} />
        {issuedBy(last).map((one) => (
          <Issued key={one.name} one={one} exchange={last} />
        ))}
        <p class="small">
          <a href={`#${exchangeId(last.id)}`}>Request and response</a>
        </p>
      </div>
    </Card>
  );
}

function issuedBy({ content: tokens }: KeptExchange): readonly Decoded[] {
  return tokens.decoded.filter(({ in: place, name, saml }) => {
    return place === 'answer' && (name === 'id_token' || name === 'access_token' || saml?.message === 'Response');
  });
}

/** The clock that times were written with. A moved clock is the most important fact here. */
function ClockOf({ exchange: { at, clock } }: { readonly exchange: KeptExchange }) {
  const moved = Math.round((clock - at) / 1000);
  if (Math.abs(moved) < 1) {
    return <Facts facts={[['Server clock', `${utcText(clock) ?? ''}, real time`]]} />;
  }
  return (
    <Notice kind="warning" title="The clock of this identity provider was moved">
      It showed {utcText(clock)}, {besideRealTime(clock, at)} real time ({utcText(at)}). A client that uses real time
      rejects tokens that are not valid then. DELETE /api/clock returns the clock to real time.
    </Notice>
  );
}

function besideRealTime(clock: Instant, at: Instant): string {
  const distance = distanceText(clock, at);
  return distance.startsWith('in ') ? `${distance.slice(3)} ahead of` : `${distance.replace(/ ago$/, '')} behind`;
}

interface IssuedProps {
  readonly one: Decoded;
  readonly exchange: KeptExchange;
}

const remedies: Readonly<Record<string, string>> = {
  id_token:
    'aud must contain the client’s client_id, and iss must be the issuer in its configuration. Its clock must be between iat and exp, within a few minutes (OpenID Connect Core 1.0 §3.1.3.7).',
  access_token:
    'An API rejects the token unless aud names the API (RFC 9068 §4). The default aud is oauth.audience. A client can request another one with the parameter resource (RFC 8707 §2).',
};

const samlRemedy =
  'Audience must be the service provider’s entity ID, Destination its address, and InResponseTo the ID of its request. Its clock must be close to IssueInstant (SAML 2.0 profiles §4.1.4.3).';

function Issued({ one: { name, jwt, saml }, exchange }: IssuedProps) {
  const facts = saml === undefined ? factsOfToken(jwt?.claims, exchange) : factsOfSaml(saml);
  return (
    <div class="stack-tight">
      <p>
        <strong>{name}</strong>
      </p>
      <Facts facts={facts.map(([label, value]) => [label, <bdi key="value">{value}</bdi>])} />
      <p class="small soft">{saml === undefined ? remedies[name] : samlRemedy}</p>
    </div>
  );
}

/** The distance of a time from the clock at that moment. */
function besideClock(milliseconds: number, clock: Instant): string {
  // Times in tokens are whole seconds.
  const distance = distanceText(milliseconds, instant(Math.floor(clock / 1000) * 1000));
  if (distance === 'now') return 'the time of the response';
  return distance.startsWith('in ') ? `${distance.slice(3)} later` : distance.replace(/ ago$/, ' earlier');
}

type Named = readonly (readonly [label: string, value: string])[];

function factsOfToken(claims: unknown, { clock }: KeptExchange): Named {
  // Of claims above 4 KiB, only the beginning of the text is kept (REC-11).
  if (typeof claims !== 'object' || claims === null) return [['Claims', 'larger than 4 KiB, so not recorded']];
  const members = new Map<string, unknown>(Object.entries(claims));
  const textOf = (name: string) => {
    const value = members.get(name);
    if (value === undefined) return 'absent';
    if (Array.isArray(value)) return value.map(String).join(', ');
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  const timeOf = (name: string) => {
    const value = members.get(name);
    if (typeof value !== 'number') return textOf(name);
    const moment = utcText(value * 1000);
    return moment === undefined ? String(value) : `${moment}, ${besideClock(value * 1000, clock)}`;
  };
  return [
    ['Issuer (iss)', textOf('iss')],
    ['Audience (aud)', textOf('aud')],
    ['Subject (sub)', textOf('sub')],
    ['Issued (iat)', timeOf('iat')],
    ...(members.has('nbf') ? [['Not before (nbf)', timeOf('nbf')] as const] : []),
    ['Expires (exp)', timeOf('exp')],
  ];
}

function factsOfSaml(saml: NonNullable<Decoded['saml']>): Named {
  const said = [
    ['Issuer', saml.issuer],
    ['Audience', saml.audience],
    ['Destination', saml.destination],
    ['InResponseTo', saml.in_response_to],
    ['NameID', saml.name_id],
    ['IssueInstant', saml.issue_instant],
    ['Status', saml.status],
    ['Signed', saml.signed.join(', ')],
  ] as const;
  return said.map(([label, value]) => [label, value === undefined || value === '' ? 'none' : value]);
}
