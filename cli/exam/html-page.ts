// Reads any page as a browser without script does: its forms, its text, and whether it submits itself. Applications
// write pages in many ways, so tags are searched for and need not be well-formed.

export interface HtmlForm {
  /** Absolute. */
  readonly action: URL;
  readonly method: 'get' | 'post';
  /** What the browser sends when the user types nothing. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly types: ReadonlyMap<string, string>;
  readonly buttons: readonly (readonly [name: string, value: string])[];
  /** A button that a user with script sees, with or without a name. */
  readonly hasButton: boolean;
}

export interface HtmlPage {
  readonly forms: readonly HtmlForm[];
  readonly text: string;
  readonly hasScript: boolean;
  /** The form that a script of the page would submit automatically, as form_post and SAML do. */
  readonly sendsItself: HtmlForm | undefined;
  /** The target of `<meta http-equiv="refresh">` without delay. */
  readonly refreshesTo: URL | undefined;
}

export function readHtml(html: string, base: URL): HtmlPage {
  const bare = html.replaceAll(/<!--.*?-->/gs, '');
  const scripts = [...bare.matchAll(/<script\b[^>]*>(.*?)<\/script\s*>/gis)].map(([, code = '']) => code).join('\n');
  const markup = bare.replaceAll(/<(script|style|template)\b.*?<\/\1\s*>/gis, ' ');
  const forms = formsIn(markup, base);
  return {
    forms,
    text: textOf(markup),
    hasScript: /<script\b/i.test(bare),
    sendsItself: selfSending(markup, scripts, forms),
    refreshesTo: refreshOf(bare, base),
  };
}

function isSamlMessage({ fields }: HtmlForm): boolean {
  return fields.some(([name]) => name === 'SAMLResponse' || name === 'SAMLRequest');
}

/** Parameters that protocols send by form posts. */
const messageNames: ReadonlySet<string> = new Set([
  ...['SAMLResponse', 'SAMLRequest', 'code', 'id_token', 'access_token', 'response', 'state', 'error', 'wresult'],
]);

function isMessage({ fields }: HtmlForm): boolean {
  return fields.some(([name]) => messageNames.has(name));
}

/**
 * The form is self-submitting if a script submits it, an attribute of this product says so, or it has a message that
 * users never send by hand.
 */
function selfSending(markup: string, scripts: string, forms: readonly HtmlForm[]): HtmlForm | undefined {
  const hidden = forms.filter(isAllHidden);
  const form = hidden.find(isSamlMessage) ?? hidden.find(isMessage) ?? hidden[0];
  if (form === undefined) return undefined;
  const submits = /\.\s*(?:submit|requestSubmit|click)\s*\(/;
  const onLoad = /<body\b[^>]*\bonload\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/i.exec(markup)?.[0] ?? '';
  // A script may press any button. A form with a button and no message waits for the user, for example to log out.
  const isMeant = isMessage(form) || !form.hasButton;
  const says = (submits.test(scripts) && isMeant) || submits.test(onLoad) || /\sdata-auto-submit\b/i.test(markup);
  return says || isSamlMessage(form) ? form : undefined;
}

function isAllHidden({ fields, types }: HtmlForm): boolean {
  return fields.length > 0 && fields.every(([name]) => ['hidden', 'submit'].includes(types.get(name) ?? 'text'));
}

function refreshOf(html: string, base: URL): URL | undefined {
  for (const [tag] of html.matchAll(/<meta\b[^>]*>/gi)) {
    const attributes = attributesOf(tag);
    if (attributes.get('http-equiv')?.toLowerCase() !== 'refresh') continue;
    const [, delay = '', target = ''] =
      /^\s*(\d+)\s*;\s*url\s*=\s*['"]?(.*?)['"]?\s*$/i.exec(attributes.get('content') ?? '') ?? [];
    if (target !== '' && Number(delay) <= 1 && URL.canParse(target, base.href)) return new URL(target, base);
  }
  return undefined;
}

function formsIn(markup: string, base: URL): HtmlForm[] {
  return [...markup.matchAll(/<form\b((?:"[^"]*"|'[^']*'|[^>"'])*)>(.*?)(?=<\/form\b|<form\b|$)/gis)].flatMap(
    ([, attributes = '', content = '']) => {
      const form = attributesOf(attributes);
      const action = form.get('action') || base.href;
      if (!URL.canParse(action, base.href)) return [];
      const elements = [
        ...content.matchAll(/<(input|button|textarea|select)\b((?:"[^"]*"|'[^']*'|[^>"'])*)>([^<]*)/gis),
      ]
        .map(([, tag = '', text = '', inner = '']) => elementOf(tag.toLowerCase(), attributesOf(text), inner))
        .filter((element) => element !== undefined);
      const fields = elements.filter(({ type, isOff }) => !isOff && !isButton(type));
      return {
        action: new URL(action, base),
        method: form.get('method')?.toLowerCase() === 'post' ? ('post' as const) : ('get' as const),
        fields: fields.map(({ pair }) => pair),
        types: new Map(fields.map(({ type, pair: [name] }) => [name, type])),
        hasButton: hasButton(content),
        buttons: elements.filter(({ type }) => isButton(type)).map(({ pair }) => pair),
      };
    },
  );
}

function hasButton(content: string): boolean {
  const seen = content.replaceAll(/<noscript\b.*?<\/noscript\s*>/gis, ' ');
  return /<button\b/i.test(seen) || /<input\b[^>]*\btype\s*=\s*["']?(?:submit|image)\b/i.test(seen);
}

function elementOf(tag: string, attributes: ReadonlyMap<string, string>, inner: string) {
  const name = attributes.get('name');
  if (name === undefined || name === '' || attributes.has('disabled')) return undefined;
  const type = tag === 'input' ? (attributes.get('type') ?? 'text').toLowerCase() : tag === 'button' ? 'submit' : tag;
  const isChoice = type === 'checkbox' || type === 'radio';
  const value = tag === 'textarea' ? decoded(inner) : (attributes.get('value') ?? (isChoice ? 'on' : ''));
  return { type, isOff: isChoice && !attributes.has('checked'), pair: [name, value] as const };
}

function isButton(type: string): boolean {
  return ['submit', 'button', 'image', 'reset'].includes(type);
}

function attributesOf(text: string): Map<string, string> {
  const found = text.matchAll(/([\w:-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g);
  return new Map(
    [...found].map(([, name = '', double, single, bare]) => [
      name.toLowerCase(),
      decoded(double ?? single ?? bare ?? ''),
    ]),
  );
}

function textOf(markup: string): string {
  return decoded(markup.replaceAll(/<[^>]*>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function decoded(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (whole, decimal, hexadecimal, name) => {
    const point = decimal !== undefined ? Number(decimal) : Number.parseInt(hexadecimal ?? '', 16);
    if (Number.isNaN(point)) return entities[name] ?? whole;
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}
