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
      title="What was issued"
      lead={
        <>
          {next === undefined
            ? `The flow ended here, with the answer of ${last.path}; whether the client accepted it is not seen. `
            : `With the answer of ${last.path}; the client went on with ${next.path}. `}
          A client that refused it found one of these values to be another one than it expects.
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
    return <Facts facts={[['Clock here', `${utcText(clock) ?? ''}, which is the time of this machine`]]} />;
  }
  return (
    <Notice kind="warning" title="The clock of this identity provider had been moved">
      It stood at {utcText(clock)}, {besideRealTime(clock, at)} the time of this machine ({utcText(at)}). A client that
      goes by that time refuses what is not valid then; DELETE /api/clock puts it right.
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
    'The client’s own client_id must stand in aud, the issuer that it is configured with in iss, and its clock between iat and exp, give or take a few minutes (OpenID Connect Core 1.0 §3.1.3.7).',
  access_token:
    'An API refuses it unless aud names the API (RFC 9068 §4). A client asks for another audience with the parameter resource (RFC 8707 §2); without it aud is oauth.audience.',
};

const samlRemedy =
  'The service provider’s entity ID must be the Audience, its address the Destination and the ID of its own request InResponseTo, and its clock must not be far from IssueInstant (SAML 2.0 profiles §4.1.4.3).';

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
  if (distance === 'now') return 'the time of the answer';
  return distance.startsWith('in ') ? `${distance.slice(3)} later` : distance.replace(/ ago$/, ' earlier');
}

type Named = readonly (readonly [label: string, value: string])[];

function factsOfToken(claims: unknown, { clock }: KeptExchange): Named {
  // Of claims above 4 KiB, only the beginning of the text is kept (REC-11).
  if (typeof claims !== 'object' || claims === null) return [['Claims', 'more than is kept of one token (4 KiB)']];
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
  return said.map(([label, value]) => [label, value === undefined || value === '' ? 'not seen' : value]);
}
