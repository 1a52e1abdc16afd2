import { UUID_TEXT } from '../../base/uuid.ts';

/** The possible texts of a field. Used only to warn of policies that can never be true, never to decide. */
export type TextShape = {
  /** For messages: "it is …". */
  readonly is: string;
  /** The complete list. */
  readonly values?: readonly string[];
  /** Or a regular expression for the whole text; applied to the lower case where case is ignored. */
  readonly pattern?: string;
  /**
   * Only literals that match this are checked against the pattern. Others are placeholders, or of a kind that the pattern
   * omits.
   */
  readonly judged?: string;
};

/** Struct → field → its possible texts; for a list or a map, those of its elements. */
export type Shapes = Readonly<Record<string, Readonly<Record<string, TextShape>>>>;

export function oneOf(...values: readonly string[]): TextShape {
  const named = values.map((value) => `'${value}'`).join(', ');
  return { is: values.length === 1 ? named : `one of ${named}`, values };
}

export const orEmpty = ({ is, pattern }: TextShape): TextShape => ({ is: `${is}, or ''`, pattern: `(?:${pattern})?` });

/** Ids of users, wallets, keys and tags. Test cases may use any text, so only texts that look like an id are checked. */
export const UUID: TextShape = {
  is: 'a UUID: 8-4-4-4-12 hexadecimal digits',
  pattern: UUID_TEXT,
  judged: '\\s.*|.*\\s|[0-9a-fA-F-]{20,}',
};
