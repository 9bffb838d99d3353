// The comments of a TypeScript file, and the texts in it that a person may read.
import { codeOf } from '#test/support/source-text.ts';

const template = /`((?:\\[\s\S]|[^`\\])*)`/g;
const placeholder = /\$\{(?:[^{}]|\{[^{}]*\})*\}/g;
const marksOfComment = /^[ \t]*(?:\/\/+|\/?\*+\/?)[ \t]?|\*+\/[ \t]*$/gm;
const betweenTags = /[>}]([^<>{}=;]*[A-Za-z]{2}[^<>{}=;]*)(?=[<{])/g;

/** Three words or more. Statements of SQL are not for people. */
const isSentence = (text: string) =>
  /[A-Za-z]{2,}\s+\S*[A-Za-z]{2,}\s+\S*[A-Za-z]/.test(text) &&
  !/^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER)\b/.test(text);

/** Each text in one line. Placeholders and inline code become X. */
export function textsOfCode(
  source: string,
  isTsx: boolean,
): { readonly comments: readonly string[]; readonly texts: readonly string[] } {
  const code = codeOf(source, { keepStrings: true });
  const withoutLiterals = codeOf(source, { keepStrings: false });
  const texts = differing(code, withoutLiterals)
    .filter((literal) => !literal.startsWith('/'))
    .map((literal) => literal.trim().slice(1, -1));
  const rest = withoutLiterals.replaceAll(template, (_, text: string) => {
    texts.push(text.replaceAll(placeholder, 'X'));
    return ' ';
  });
  if (isTsx) for (const [, text = ''] of rest.matchAll(betweenTags)) texts.push(text);
  const comments = differing(source, code).map((comment) => comment.replaceAll(marksOfComment, ''));
  return { comments: comments.map(oneLine), texts: texts.filter(isSentence).map((text) => oneLine(unescaped(text))) };
}

/** The pieces of a text that are blank in another one. White space alone does not end a piece. */
function differing(text: string, other: string): readonly string[] {
  const pieces: string[] = [];
  let piece = '';
  for (let position = 0; position < text.length; position += 1) {
    const character = text.charAt(position);
    const isInside = character.trim() === '' ? piece !== '' : other.charAt(position) !== character;
    if (isInside) piece += character;
    if ((!isInside || position === text.length - 1) && piece !== '') {
      pieces.push(piece);
      piece = '';
    }
  }
  return pieces;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, '$1');
}

function oneLine(text: string): string {
  return text
    .replaceAll(/(`+)[\s\S]*?\1/g, 'X')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
