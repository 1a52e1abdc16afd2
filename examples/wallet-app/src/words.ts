/** What the page says when something fails. */

/** The error and what caused it. */
function* chain(error: unknown): Generator<Error & { code?: unknown }> {
  for (let one = error; one instanceof Error; one = one.cause) yield one;
}

const WORDS: [RegExp, string][] = [
  [/timed out or was not allowed|SELECT_PASSKEY_CANCELLED|NotAllowedError/, 'That was cancelled, or took too long. Try again.'],
  [/Invalid OTP code/, 'This code is wrong, or too old. Look at the newest mail, or ask for another code.'],
  [/Max number of OTPs/, 'Too many codes were asked for. Wait ten minutes, and try again.'],
  [/Too many requests|RATE_LIMIT/, 'That was too often. Wait a little, and try again.'],
  [
    /could not find (public key|authenticator)|CREDENTIAL_NOT_FOUND/,
    'Nobody here has this passkey. Make a new one, or sign in by email.',
  ],
  [/Failed to fetch|NetworkError|Load failed/, 'The service could not be reached from this page. Try again.'],
];

export function wordsFor(error: unknown): string {
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
