import { isObject } from '../../base/json.ts';
import type { SaidError, Trouble } from './types.ts';

/** How hosted providers say that there were too many requests. */
const LIMITED = [
  // Alchemy: «Your app has exceeded its compute units per second capacity», «Monthly capacity limit exceeded»
  /exceeded its (?:compute units|concurrent requests)|capacity limit exceeded/i,
  // Infura: «project ID request rate exceeded», «daily request count exceeded, request rate limited», «exceeded project rate limit»
  /request rate exceeded|daily request count exceeded|rate limit/i,
  // QuickNode: «50/second request limit reached», «daily request limit reached», «credits limited to 6000/sec», «The requests per second (RPS) …»
  /request limit reached|credits limited to|requests per second/i,
  // Others: Ankr, dRPC, BlockPI, Solana’s public nodes, Cloudflare
  /too many (?:requests|connections)|rate.?limited|compute unit quota|(?:request|usage|call) (?:quota|limit) (?:exceeded|reached|exhausted)|connection rate limits/i,
];

/** Codes that mean it whatever the text: HTTP’s, and QuickNode’s for requests and credits. Infura’s -32005 is besu’s and Solana’s too. */
const LIMITED_CODES = new Set([429, -32029]);

/** A method that is not offered is no trouble of the endpoint: it may offer the others. */
export const isMissing = ({ code, message }: SaidError): boolean =>
  code === -32601 ||
  code === -32604 ||
  /^(?!.*\b(?:temporarily|currently|try again)\b).*(?:method not (?:found|enabled|supported|allowed)|(?:method|namespace).* (?:does not exist|is not available|not whitelisted|is not supported|unavailable))/is.test(
    message,
  );

/** The node cannot answer now: another may. An error about one block, or one state, is about the request. */
const UNAVAILABLE = [
  /\bsyncing\b|sync is still in progress|not yet in sync|pool not started/i,
  // Solana: the node is behind
  /node is (?:behind|unhealthy)|minimum context slot/i,
  // A key that is not accepted
  /must be authenticated|unauthorized|invalid (?:api key|project id)|app is inactive|api key .*(?:expired|disabled)|forbidden/i,
];

/** A server in between says that nothing came back: the request may have arrived. */
const SILENT =
  /cannot fulfill request|temporarily unavailable|service unavailable|bad gateway|gateway time-?out|backend|upstream|no (?:healthy|available) |try again later|overloaded|server busy|timed? ?out|deadline exceeded|connection (?:reset|refused|closed)|broken pipe|\bEOF\b/i;

const any = (patterns: readonly RegExp[], text: string) => patterns.some((pattern) => pattern.test(text));

/** The text is a contract's, and not the node's. */
const OF_A_CONTRACT = /\brevert(?:ed)?\b|simulation failed/i;

/** Whether a node’s error is about the endpoint, and not about the request. */
export function troubleOf(said: SaidError): Trouble | undefined {
  const { code, message } = said;
  if (code === 3 || OF_A_CONTRACT.test(message) || isMissing(said)) return undefined;
  if (LIMITED_CODES.has(code) || any(LIMITED, message)) return 'rate limited';
  if (any(UNAVAILABLE, message)) return 'unavailable';
  return SILENT.test(message) ? 'no answer' : undefined;
}

const LONGEST_REST_MS = 300_000;

/** `Retry-After`: seconds, or a date. */
function ofHeader(text: string, now: number): number | undefined {
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = text === '' ? Number.NaN : Date.parse(text);
  return Number.isNaN(date) ? undefined : date - now;
}

/** Infura has seconds in the error object, Ankr in its text. */
function ofError({ message, data }: SaidError): number | undefined {
  const rate = isObject(data) && isObject(data.rate) ? data.rate.backoff_seconds : undefined;
  if (typeof rate === 'number' && rate > 0) return rate * 1000;
  const text = /retry (?:in|after) (\d{1,4})\s?s/i.exec(message)?.[1];
  return text === undefined ? undefined : Number(text) * 1000;
}

/** How long an endpoint asks to be left alone, in milliseconds: at most five minutes. `now`: the machine’s time. */
export function restAsked(retryAfter: string | undefined, said: SaidError | undefined, now: number): number | undefined {
  const asked = ofHeader(retryAfter?.trim() ?? '', now) ?? (said && ofError(said));
  return asked === undefined ? undefined : Math.min(Math.max(asked, 0), LONGEST_REST_MS);
}
