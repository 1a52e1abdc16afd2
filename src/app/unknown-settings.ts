import { nearest } from '../base/nearest.ts';

/** Names that begin so are taken for settings of this service. */
const OURS = /^(?:COUNTERSIGN|DATABASE|LIMIT|ROOT_KEY|ROOT_PASSPHRASE)_/;
/** What container platforms set for a service that happens to be called `database` or `countersign`. */
const OF_THE_PLATFORM = /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?$/;
/** How far a name may be from the one that was meant. */
const SLIPS = 2;
/** Names that do not begin as ours are compared with longer ones only: much is near to `HOST`. */
const SHORTEST = 6;

/** A sentence for each variable that was probably meant to be a setting. Their values are not quoted: they may be secrets. */
export function unknownSettings(env: Readonly<Record<string, string | undefined>>, known: readonly string[]): string[] {
  const long = known.filter((name) => name.length >= SHORTEST);
  const sentences: string[] = [];
  for (const name of Object.keys(env).sort()) {
    if (!env[name] || known.includes(name) || OF_THE_PLATFORM.test(name) || !/^\w+$/.test(name)) continue;
    const ours = OURS.test(name);
    const meant = nearest(name.replace(/^COUNTERSIGN_/, ''), ours ? known : long, SLIPS);
    if (!ours && meant === undefined) continue;
    const hint = meant === undefined ? 'see docs/operating.md' : `did you mean ${meant}?`;
    sentences.push(`${name} is set, and there is no such setting: ${hint}`);
  }
  return sentences;
}
