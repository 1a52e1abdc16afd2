import { bodyOf, corpus, type Entry } from '../review/corpus.ts';

/** The service takes no larger body. */
const LARGEST = 1024 * 1024;

/** Messages that each let a spender take several tokens. The last token of the last one is given away without a limit. */
export function permits(messages: number, tokens: number): Entry {
  const small = corpus.find(({ name }) => name === 'typed data PermitBatch')!;
  const { payload, ...parameters } = small.parameters;
  const typed = JSON.parse(String(payload));
  const [token] = typed.message.details;
  const messageOf = (last: object) =>
    JSON.stringify({ ...typed, message: { ...typed.message, details: [...Array(tokens - 1).fill(token), last] } });
  const payloads = [...Array(messages - 1).fill(messageOf(token)), messageOf({ ...token, amount: String(2n ** 160n - 1n) })];
  return {
    ...small,
    name: `permits of ${tokens} tokens in ${messages} messages`,
    type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOADS',
    parameters: { ...parameters, payloads },
  };
}

/** Messages of almost a mebibyte. */
export function largest(): Entry {
  const entry = permits(8, 1120);
  const { length } = bodyOf(entry);
  if (length > LARGEST || length < 0.9 * LARGEST) throw new Error(`the body has ${length} bytes`);
  return entry;
}
