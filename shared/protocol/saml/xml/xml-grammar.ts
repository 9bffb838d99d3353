// The names and tags of XML 1.0 (fifth edition) and Namespaces in XML 1.0, as patterns that match at one position
// (`lastIndex`).
export const xmlNamespace = 'http://www.w3.org/XML/1998/namespace';
export const xmlnsNamespace = 'http://www.w3.org/2000/xmlns/';

const nameStart =
  'A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}-\\u{200D}' +
  '\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}';
const ncName = `[${nameStart}][${nameStart}\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}-\\u{2040}]*`;
export const qualifiedName = new RegExp(`(?:(${ncName}):)?(${ncName})`, 'uy');
export const attributePattern = new RegExp(
  `[ \\t\\n]+(?:(${ncName}):)?(${ncName})[ \\t\\n]*=[ \\t\\n]*(?:"([^<"]*)"|'([^<']*)')`,
  'uy',
);
export const xmlDeclarationPattern =
  /<\?xml[ \t\n]+version[ \t\n]*=[ \t\n]*(?:"1\.[0-9]+"|'1\.[0-9]+')(?:[ \t\n]+encoding[ \t\n]*=[ \t\n]*(?:"([A-Za-z][\w.-]*)"|'([A-Za-z][\w.-]*)'))?(?:[ \t\n]+standalone[ \t\n]*=[ \t\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\n]*\?>/y;
export const tagEnd = /[ \t\n]*(\/?)>/y;
export const space = /[ \t\n]*/y;
