/** What the page says when something fails. */

/** Something to put right, in words for the user of the page. */
export class InWords extends Error {}

/** The error and what caused it. */
function* chain(error: unknown): Generator<Error & { code?: unknown }> {
  for (let one = error; one instanceof Error; one = one.cause) yield one;
}

const WORDS: [RegExp, string][] = [
  [/timed out or was not allowed|SELECT_PASSKEY_CANCELLED|NotAllowedError/, 'That was cancelled, or took too long. Try again.'],
  [/Invalid OTP code/, 'This code is wrong, or too old. Look at the newest mail, or request another code.'],
  [/Max number of OTPs/, 'Too many codes were requested. Wait ten minutes, and try again.'],
  [/nothing is typed yet/, 'Type the words of the wallet first.'],
  [
    /invalid mnemonic|must each be on one line/i,
    'These words are no recovery phrase. One has 12 to 24 words, on one line and in their order.',
  ],
  [/Too many requests|RATE_LIMIT/, 'Too many requests. Wait a little, and try again.'],
  [
    /could not find (public key|authenticator)|CREDENTIAL_NOT_FOUND/,
    'No account here has this passkey. Make a new passkey, or sign in by email.',
  ],
  [
    /the paymaster .* too few coins/,
    'The account that pays the fees has no coins left. The operator of the service can send it some.',
  ],
  [
    /insufficient funds|wei, and is to send/i,
    'This wallet has too few coins for the amount and the fee. Add coins, or send less.',
  ],
  [/RPC_URL_/, 'The service does not send on this network. Its operator can set that up.'],
  [
    /sponsorship is not enabled|gas is not sponsored|sponsored sends need contracts|SPONSORSHIP_/,
    'The service does not pay fees yet. Its operator can set that up.',
  ],
  [/sponsorship limit|GAS_LIMIT_EXCEEDED/, 'The service has paid as many fees as it may for now. Try again later.'],
  [/send the same body again/, 'The network or the service is not available now. Try again in a minute.'],
  [/Failed to fetch|NetworkError|Load failed/, 'The service could not be reached from this page. Try again.'],
];

export function wordsFor(error: unknown): string {
  if (error instanceof InWords) return error.message;
  const all = [...chain(error)];
  const text = all.map(({ name, code, message }) => `${name} ${code} ${message}`).join('\n');
  const known = WORDS.find(([pattern]) => pattern.test(text));
  if (known) return known[1];
  const last = all.at(-1)?.message ?? String(error);
  return `That did not work: ${last.replace(/^Turnkey error \d+: /, '').replace(/ \(Details: .*$/s, '')}`;
}

/** The session ended: only logging in helps. */
export const isOver = (error: unknown): boolean =>
  [...chain(error)].some(({ code }) => code === 'SESSION_EXPIRED' || code === 'NO_SESSION_FOUND');
