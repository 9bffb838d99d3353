// A decoded token on a page: signature, header, claims with their times in words, and the raw texts for copying.
import type { ComponentChildren } from 'preact';
import { Card } from '#shared/web/pages/components/card.tsx';
import { CodeBlock } from '#shared/web/pages/components/code-block.tsx';
import { Facts } from '#shared/web/pages/components/facts.tsx';
import { Tag } from '#shared/web/pages/components/tag.tsx';
import type { DescribedToken, SignatureState } from './describe-token.ts';

interface TokenCardProps {
  readonly title: string;
  readonly token: string;
  readonly described: DescribedToken;
}

export function TokenCard({ title, token, described }: TokenCardProps) {
  const { signature, claims, header, payload } = described;
  return (
    <Card title={title} lead={signatureLead(described)} actions={signatureTags[signature]}>
      <CodeBlock id="shown-token" title="Compact JWT" text={token} token />
      <CodeBlock id="token-header" title="Header" text={header} />
      <div class="stack-tight">
        <h3>Claims</h3>
        <Facts
          class="claims"
          facts={claims.map(({ name, json, moment }) => [
            <code key="name">{name}</code>,
            <>
              <bdi>{json}</bdi>
              {moment !== undefined && <span class="soft small claim-moment">{moment}</span>}
            </>,
          ])}
        />
      </div>
      <details class="more">
        <summary>Payload as JSON</summary>
        <CodeBlock id="token-payload" title="Payload" text={payload} />
      </details>
    </Card>
  );
}

const signatureTags: Record<SignatureState, ComponentChildren> = {
  valid: <Tag kind="good">signature valid</Tag>,
  expired: <Tag kind="warn">signature valid, token expired</Tag>,
  invalid: <Tag kind="bad">signature from an unknown key</Tag>,
};

function signatureLead({ signature, kid }: DescribedToken): ComponentChildren {
  if (signature === 'invalid') {
    return kid === undefined ? (
      'The header has no kid.'
    ) : (
      <>
        The header has the kid <code>{kid}</code>.
      </>
    );
  }
  if (kid === undefined) return 'The header has no kid. The active key verifies the token.';
  return (
    <>
      Verified with the key <code>{kid}</code> of the key set.
    </>
  );
}
