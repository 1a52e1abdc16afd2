import { bodyOf, corpus, type Entry } from '../review/corpus.ts';

/** The service takes no larger body. */
const LARGEST = 1024 * 1024;
const MESSAGES = 8;
const TOKENS = 1120;

/** Messages of almost a mebibyte. The last token of the last one is given away without a limit. */
export function largest(): Entry {
  const small = corpus.find(({ name }) => name === 'typed data PermitBatch')!;
  const { payload, ...parameters } = small.parameters;
  const typed = JSON.parse(String(payload));
  const [token] = typed.message.details;
  const messageOf = (last: object) =>
    JSON.stringify({ ...typed, message: { ...typed.message, details: [...Array(TOKENS - 1).fill(token), last] } });
  const payloads = [...Array(MESSAGES - 1).fill(messageOf(token)), messageOf({ ...token, amount: String(2n ** 160n - 1n) })];
  const entry = {
    ...small,
    name: 'a body of a mebibyte',
    type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOADS',
    parameters: { ...parameters, payloads },
  };
  const { length } = bodyOf(entry);
  if (length > LARGEST || length < 0.9 * LARGEST) throw new Error(`the body has ${length} bytes`);
  return entry;
}
