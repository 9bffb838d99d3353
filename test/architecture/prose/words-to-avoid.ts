// Words that make a reader guess who acts, or which thing is meant, and what to write in their place.

interface WordsToAvoid {
  readonly words: RegExp;
  readonly write: string;
}

export const wordsToAvoid: readonly WordsToAvoid[] = [
  {
    words: /\b(?:whoever|whomever|somebody|nobody|everybody|whatsoever)\b/gi,
    write: 'the client, the user, the process',
  },
  { words: /\b(?:he who|those who|who polls|who asks)\b/gi, write: 'the client that …, the value that …' },
  { words: /\bwhom\b/gi, write: 'with, for, to' },
  {
    words: /\b(?:what|whatever) (?:stands|lies|is said|was said|was there|it says|it takes)\b/gi,
    write: 'the name of the thing',
  },
  { words: /\b(?:is|are|was|were) (?:of before|spent|gone by)\b/gi, write: 'expired, previous, used' },
  { words: /\bfor ?ever\b/gi, write: 'permanently' },
  { words: /\bby (?:itself|themselves)\b/gi, write: 'automatically' },
  { words: /\bas (?:it|they) (?:was|were)(?=[.,;:)]|$)/gim, write: 'unchanged' },
  { words: /\b(?:in|into) force\b/gi, write: 'active, activate' },
  { words: /\b(?:alike|word for word|character for character|letter for letter)\b/gi, write: 'identical' },
  { words: /\bgo(?:es|ing)? by (?:the|its|that|this|these|real)\b/gi, write: 'uses' },
  {
    words: /\b(?:none there is|there is none|is there at all|there are none|of a client there is)\b/gi,
    write: 'exists, unknown',
  },
  { words: /\bin (?:its|their) turn\b/gi, write: 'in order' },
  { words: /\b(?:is|are|was|were|be) (?:told|heard)\b/gi, write: 'is notified, receives' },
  { words: /\b(?:hears|tells|telling)\b/gi, write: 'receives, reports' },
  {
    words: /\b(?:lies|lie|stands|stood) (?:in|at|on|under|below|beside|there|behind|around)\b/gi,
    write: 'is in, exists',
  },
  { words: /\b(?:in hand|at hand|handed over|hands over|goes along|come to pass)\b/gi, write: 'holds, handles' },
  {
    words: /\b(?:bears|besides|thereof|therein|hitherto|lest|save that|such as are)\b/gi,
    write: 'has, started, also',
  },
  { words: /(?<![@$_])\b(?:rooms?|houses?|halls?|doors?)\b(?!\$)/gi, write: 'space, module, layer, front end, port' },
  { words: /\b(?:story|stories|way of a request)\b/gi, write: 'flow, life of a request' },
];

/** Where such a word is right. */
export const allowed: readonly { readonly in: string; readonly text: string; readonly because: string }[] = [
  {
    in: 'shared/engine/faults/saml/wrapping.ts',
    text: 'Be Whoever You Want to Be',
    because: 'the title of the paper that described the attacks',
  },
];
