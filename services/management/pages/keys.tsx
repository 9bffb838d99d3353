// /keys: the keys that verify tokens, rotation, and downloads of the public parts (WEB-15). Private keys never leave
// the key ring (KEY-06).

import { createPublicKey } from 'node:crypto';
import { type Reply, redirect } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { currentLogin } from '#shared/engine/login/browser-sessions.ts';
import { rotationRefusalOf } from '#shared/model/refusals/families/keys.ts';
import { KeyRotationRefusedError, type PublicJwk } from '#shared/state/keys/key-ring.ts';
import { Button, ButtonLink } from '#shared/web/pages/components/button.tsx';
import { Card } from '#shared/web/pages/components/card.tsx';
import { CodeBlock } from '#shared/web/pages/components/code-block.tsx';
import { CopyButton } from '#shared/web/pages/components/copy-button.tsx';
import { Notice } from '#shared/web/pages/components/notice.tsx';
import { OwnForm } from '#shared/web/pages/components/own-link.tsx';
import { Tag } from '#shared/web/pages/components/tag.tsx';
import { rotateKeys } from '../rotate-keys.ts';
import { withNotice } from './notices.ts';
import { managementPage } from './shell.tsx';

export async function keysPage(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  return showKeys(request, context, undefined);
}

/** POST /keys/regenerate: the same rotation as POST /api/keys/rotate. */
export async function regenerateKeys(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const login = await currentLogin(context);
  const rotation = await rotateKeys(request, context, login?.username);
  if (!(rotation instanceof KeyRotationRefusedError))
    return redirect(context.path(withNotice('/keys', 'keys_rotated')));
  return showKeys(request, context, rotation);
}

export async function downloadPublicKey(_request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const { publicKey } = await context.keys.signingKey();
  return attachment('public_key.pem', publicKey.export({ type: 'spki', format: 'pem' }).toString());
}

export async function downloadCertificate(_request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const { certificatePem } = await context.keys.signingKey();
  return attachment('idp-cert.pem', certificatePem);
}

function attachment(filename: string, body: string): Reply {
  return {
    status: 200,
    headers: {
      'Content-Type': 'application/x-pem-file',
      'Content-Disposition': `attachment; filename="${filename}"`,
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-cache',
    },
    body,
  };
}

async function showKeys(
  request: ParsedRequest,
  context: ManagementContext,
  refused: KeyRotationRefusedError | undefined,
): Promise<Reply> {
  const [active, ...previous] = await context.keys.publicKeys();
  const { certificatePem } = await context.keys.signingKey();
  const { max_previous_keys } = await context.keys.information();
  const external = context.snapshot.settings.jwt.external_keys !== undefined;
  return managementPage(request, context, {
    title: 'Keys',
    section: '/keys',
    address: '/keys',
    lead: external
      ? 'The key of jwt.external_keys signs tokens.'
      : `The active key signs tokens. Up to ${max_previous_keys} previous ones still verify them.`,
    status: refused === undefined ? 200 : rotationRefusalOf[refused.kind].status,
    notice: refused && (
      <Notice kind="refusal" title="The key was not rotated">
        {refused.message}
      </Notice>
    ),
    children: (
      <>
        {active !== undefined && <ActiveKey jwk={active} certificatePem={certificatePem} />}
        <Rotation external={external} />
        <Card title="Previous keys" lead="Tokens that these keys signed stay valid until the key is removed.">
          {previous.length === 0 ? (
            <p class="soft">There are no previous keys. No key was rotated yet, or jwt.max_previous_keys is 0.</p>
          ) : (
            previous.map((jwk, index) => <PreviousKey key={jwk.kid} jwk={jwk} number={index + 1} />)
          )}
        </Card>
      </>
    ),
  });
}

function ActiveKey({ jwk, certificatePem }: { readonly jwk: PublicJwk; readonly certificatePem: string }) {
  return (
    <Card
      title="Active key"
      actions={
        <>
          <ButtonLink href="/keys/download/public_key" download>
            Download public key
          </ButtonLink>
          <ButtonLink href="/keys/download/certificate" download>
            Download certificate
          </ButtonLink>
        </>
      }
    >
      <Kid id="kid-active" jwk={jwk} />
      <CodeBlock id="public-key-active" title="Public key" text={publicPem(jwk)} />
      <CodeBlock id="certificate" title="SAML certificate" text={certificatePem.trim()} />
    </Card>
  );
}

function PreviousKey({ jwk, number }: { readonly jwk: PublicJwk; readonly number: number }) {
  return (
    <div class="stack-tight">
      <Kid id={`kid-${number}`} jwk={jwk} />
      <CodeBlock id={`public-key-${number}`} title="Public key" text={publicPem(jwk)} />
    </div>
  );
}

function Kid({ id, jwk: { kid, alg } }: { readonly id: string; readonly jwk: PublicJwk }) {
  return (
    <p class="row">
      <span class="soft">kid</span> <code id={id}>{kid}</code> <CopyButton from={id} /> <Tag>{alg}</Tag>
    </p>
  );
}

function Rotation({ external }: { readonly external: boolean }) {
  return (
    <Card
      title="Rotate"
      lead={
        external
          ? 'To replace external keys, change their files.'
          : 'Creates a new signing key and keeps the old one for verification. All processes sign with the new key immediately.'
      }
    >
      <OwnForm method="post" action="/keys/regenerate">
        <Button kind="secondary" disabled={external}>
          Rotate signing key
        </Button>
      </OwnForm>
    </Card>
  );
}

function publicPem(jwk: PublicJwk): string {
  return createPublicKey({ key: { ...jwk }, format: 'jwk' })
    .export({ type: 'spki', format: 'pem' })
    .toString()
    .trim();
}
