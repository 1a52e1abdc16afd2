import { nearestOf } from '../base/nearest.ts';

/** Names with these prefixes count as settings of this service. */
const OURS = /^(?:COUNTERSIGN|DATABASE|GAS|LIMIT|ROOT_KEY|ROOT_PASSPHRASE|ROOT_USER|RPC_URL|TRUST|TRUSTED)_/;
/** Variables that container platforms set for a service named `database` or `countersign`. */
const OF_THE_PLATFORM = /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?$/;
/** It names a profile of credentials, and the service does not read it. */
const OF_THE_COMMAND_LINE = 'COUNTERSIGN_PROFILE';
/** The maximum edit distance between a name and the intended setting. */
const SLIPS = 2;
/** Names without our prefixes are compared only with settings of at least this length. Many names are close to `HOST`. */
const SHORTEST = 6;

/** The hint if no setting is similar. */
const elsewhere = (name: string): string =>
  name.includes('RPC_URL_')
    ? 'a chain is named by its chain id, such as RPC_URL_EIP155_1 for Ethereum, or RPC_URL_SOLANA_MAINNET'
    : 'see docs/operating/settings.md';

/** A sentence for each variable that was probably intended as a setting. Values are not quoted, because they may be secrets. */
export function unknownSettings(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
  isOneOfMany: RegExp,
): string[] {
  const [nearest, nearestLong] = [nearestOf(known), nearestOf(known.filter((name) => name.length >= SHORTEST))];
  const sentences: string[] = [];
  for (const name of Object.keys(env).sort()) {
    if (
      !env[name] ||
      name === OF_THE_COMMAND_LINE ||
      known.includes(name) ||
      isOneOfMany.test(name) ||
      OF_THE_PLATFORM.test(name) ||
      !/^\w+$/.test(name)
    )
      continue;
    const ours = OURS.test(name);
    const meant = (ours ? nearest : nearestLong)(name.replace(/^COUNTERSIGN_/, ''), SLIPS);
    if (!ours && meant === undefined) continue;
    const hint = meant === undefined ? elsewhere(name) : `did you mean ${meant}?`;
    sentences.push(`${name} is set, but is not a setting: ${hint}`);
  }
  return sentences;
}
