// The effective values of an entry and its files: the values that a login uses.
import type { EffectiveReading } from '#shared/state/configuration/service-providers/effective-service-provider.ts';
import { Card } from '#shared/web/pages/components/card.tsx';
import { Facts } from '#shared/web/pages/components/facts.tsx';
import { Notice } from '#shared/web/pages/components/notice.tsx';
import { shownCertificate } from '../../api/service-providers.ts';

export function InForce({ findings, metadataFindings, serviceProvider }: EffectiveReading) {
  if (serviceProvider === undefined) return null;
  const { acs, certificates, encryption_certificate, encryption, encrypt, slo, name_id_format } = serviceProvider;
  const doubts = [
    ...findings.map(({ field, message }) => `${field} ${message}.`),
    ...metadataFindings.map(({ line, column, message }) => `Metadata, line ${line}, column ${column}: ${message}.`),
  ];
  return (
    <Card title="Active values" lead="The combined result of this entry and its metadata.">
      {doubts.length > 0 && (
        <Notice kind="warning">
          <ul>
            {doubts.map((doubt) => (
              <li key={doubt}>{doubt}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Facts
        facts={[
          ['Responses go to', <Items key="acs" items={acs.map((one) => one.url)} none="nowhere" />],
          ['Certificates', <Certificates key="certificates" certificates={certificates} />],
          ['Signed requests only', serviceProvider.want_signed_requests ? 'yes' : 'no'],
          [
            'NameID format',
            <Items key="format" items={name_id_format === undefined ? [] : [name_id_format]} none="as requested" />,
          ],
          [
            'Single logout',
            <Items key="slo" items={slo.map(({ url, binding }) => `${url} (${binding})`)} none="none" />,
          ],
          ...(encryption_certificate === undefined
            ? []
            : ([
                ['Encryption certificate', <Certificates key="own" certificates={[encryption_certificate]} />],
                ['Encrypted', encrypt.length === 0 ? 'nothing' : `${encrypt.join(', ')}, by ${encryption.content}`],
              ] as const)),
        ]}
      />
    </Card>
  );
}

function Items({ items, none }: { readonly items: readonly string[]; readonly none: string }) {
  if (items.length === 0) return <span class="soft">{none}</span>;
  return (
    <ul class="stack-tight">
      {items.map((item) => (
        <li key={item}>
          <bdi class="clamp">{item}</bdi>
        </li>
      ))}
    </ul>
  );
}

function Certificates({ certificates }: { readonly certificates: readonly string[] }) {
  const items = certificates.map((pem) => {
    const { subject, valid_to } = shownCertificate(pem);
    return `${subject.replaceAll('\n', ', ')}, until ${valid_to.slice(0, 10)}`;
  });
  return <Items items={items} none="none" />;
}
