/** What the texts of a field can be. Policies are checked against it for what can never be true; nothing is decided by it. */
export type TextShape = {
  /** For messages: "it is …". */
  readonly is: string;
  /** All that there are. */
  readonly values?: readonly string[];
  /** Or a regular expression for the whole of them; where case does not count, for their lower case. */
  readonly pattern?: string;
  /** Only literals that match this are held against the pattern: others are placeholders, or of a kind that the pattern leaves out. */
  readonly judged?: string;
};

/** Struct → field → what its texts are; of a list or a map, its elements. */
export type Shapes = Readonly<Record<string, Readonly<Record<string, TextShape>>>>;

export function oneOf(...values: readonly string[]): TextShape {
  const named = values.map((value) => `'${value}'`).join(', ');
  return { is: values.length === 1 ? named : `one of ${named}`, values };
}

export const orEmpty = ({ is, pattern }: TextShape): TextShape => ({ is: `${is}, or ''`, pattern: `(?:${pattern})?` });

/** Ids of users, wallets, keys and tags. In files of test cases they may be anything, so only what looks like an id is judged. */
export const UUID: TextShape = {
  is: 'a UUID: 8-4-4-4-12 hexadecimal digits',
  pattern: '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}',
  judged: '\\s.*|.*\\s|[0-9a-fA-F-]{20,}',
};
