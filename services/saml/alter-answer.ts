// Signs and serializes a response that a fault alters, with the same signature and the same writer as a correct one.
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { SamlAnswer, SamlAnswerTools, UnusualSignature } from '#shared/engine/exchange/saml-answer.ts';
import { kindOf, recipeOf, signatureOver, signBy } from '#shared/engine/saml-signing/sign-element.ts';
import { compacted } from '#shared/protocol/saml/edit-tree.ts';
import { scopeInside, writeCanonical, writeDocument, xmlDeclaration } from '#shared/protocol/saml/xml/write-xml.ts';
import { attributeValue, type NamespaceScope, type XmlElement } from '#shared/protocol/saml/xml-element.ts';
import { type AlteredAnswer, encryptedAfterwards } from './encryption/sealed-response.ts';
import { unusualRecipe } from './signing/unusual-recipe.ts';

/** The document of a response, as text. */
export function documentOf({ response, written = (document) => document }: SamlAnswer): string {
  return written(`${xmlDeclaration}${writeDocument(response)}`);
}

/** The response as it will be sent. `serviceProvider`: the recipient of a login's Response. */
export async function alteredAnswer(
  right: SamlAnswer,
  context: Pick<ProtocolContext, 'snapshot' | 'signer' | 'outputHooks' | 'store' | 'random'>,
  serviceProvider?: string,
): Promise<AlteredAnswer> {
  const { samlAnswer } = context.outputHooks;
  const signedAs = new Map<XmlElement, UnusualSignature>();
  const answer =
    samlAnswer === undefined
      ? right
      : await samlAnswer(right, answerTools(right, context, { serviceProvider, signedAs }));
  return { answer, signedAs };
}

function answerTools(
  { kind, algorithms }: SamlAnswer,
  context: Pick<ProtocolContext, 'snapshot' | 'signer' | 'store' | 'random'>,
  {
    serviceProvider,
    signedAs,
  }: { readonly serviceProvider: string | undefined; readonly signedAs: Map<XmlElement, UnusualSignature> },
): SamlAnswerTools {
  const { snapshot, signer, store } = context;
  const { c14n_algorithm: c14n } = snapshot.settings.saml;
  const layout = kind === 'attribute_query' ? 'indented' : 'compact';
  return {
    async signed(element, { within } = {}, unusual = {}) {
      const recipe = unusualRecipe(await signer.signingKey(), unusual, algorithms);
      const whole = await signBy(recipe, compacted(element), { c14n, layout, inherited: scopeIn(within) });
      signedAs.set(whole, unusual);
      return whole;
    },
    async signatureOver(element, { within }) {
      const scope = scopeIn(within);
      const content = writeCanonical(element, { kind: kindOf(c14n), inherited: scope });
      const signed = { reference: attributeValue(element, 'ID') ?? '', content };
      return signatureOver(signed, recipeOf(await signer.signingKey(), algorithms), { c14n, scope });
    },
    size: async (answer) => Buffer.byteLength(documentOf(await encryptedAfterwards({ answer, signedAs }, context))),
    lastDelivered: async () =>
      serviceProvider === undefined ? undefined : store.deliveredResponses.last(serviceProvider),
  };
}

const scopeIn = (response: XmlElement | undefined): NamespaceScope =>
  response === undefined ? new Map() : scopeInside(response);
