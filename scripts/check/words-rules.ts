/** Which sentences are refused, and which are counted. */

export const WORDS = {
  /** Words of a sentence: more are counted. */
  aim: 20,
  /** More are refused. */
  most: 30,
  subjects: /^["'([]?(?:who|whoever|somebody|nobody|what is)\b/i,
} as const;

/** What has a plainer word. */
export const PHRASES: readonly { readonly said: RegExp; readonly plain: string }[] = [
  { said: /\b(?:whoever|somebody|nobody)\b/i, plain: 'which caller, client, operator or node it is' },
  { said: /\bso (?:many|long|much)\b/i, plain: '"at most N", or the duration' },
  { said: /\b(?:is|are|was) over\b/i, plain: '"expired" or "ended"' },
  { said: /\bstands?\b/i, plain: '"exists", "is" or "holds"' },
  { said: /\bcomes? (?:of|to)\b/i, plain: '"results from" or "is"' },
];

/** Parts of sentences that are not ours to change, or for which there is no plainer word. */
export const ALLOWED: readonly { readonly part: string; readonly why: string }[] = [
  { part: 'never with who, whoever, somebody', why: 'AGENTS.md names the words' },
  { part: 'Write "at most N", "duration"', why: 'AGENTS.md names the phrases' },
  { part: 'a an and are at be by', why: 'words that a search leaves out' },
  { part: 'execTransaction(address to, ', why: 'the signature of a function' },
];
