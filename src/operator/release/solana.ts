import { rfc3339 } from '../../base/time.ts';
import type { SolanaNode } from '../../chain-io/nodes/solana/node.ts';
import { SIGNATURES_PAGE, type SolanaSigned } from '../../chain-io/nodes/solana/scan.ts';
import { mapConcurrently } from '../../chain-io/sends/map-concurrently.ts';
import type { AccountKey, Send } from '../../model/send.ts';
import type { SolanaIntent } from '../../model/solana-intent.ts';
import type { Reader } from '../../store/types.ts';
import { type Fate, heldAll, type JudgedAccount, oldBlock } from './fates.ts';

const ASK_MS = 30_000;
/** Transactions that are asked about together. */
const AT_ONCE = 20;
/** Newest signatures of an account that are looked at. More were made by others, and say nothing. */
const MOST = 1_000;
/** The newest sends of an account, by state, whose signatures are known. */
const KNOWN = 1_000;

/** Only with a blockhash that the service chooses can a send land twice: other bytes are always the same. */
const isFixed = ({ intent }: Send): boolean => (intent as SolanaIntent).blockhash !== 'chosen';

/** `landed`: in a block before the database was copied. `open`: it may have got there since, after others. */
type Hashes = { landed: ReadonlySet<string>; open: ReadonlySet<string> };

async function knownHashes(read: Reader, key: AccountKey, sends: readonly Send[]): Promise<Hashes> {
  const landed = new Set<string>();
  for (const state of ['included', 'final'] as const)
    for (const { hash } of await read.sendsOfAccount.latest(key, state, KNOWN)) landed.add(hash);
  return { landed, open: new Set(sends.map(({ hash }) => hash)) };
}

/** `since`: when the first of the sends that may land twice was accepted. `newest`: the least time of the node's last block. */
type Times = { since: number; newest: number };

/**
 * Whether the account paid for a transaction that is unknown here, after the newest one that landed before the copy. On Solana this takes
 * the place of a nonce. A text: why the endpoint's answers do not show it.
 */
async function hasForeign(
  node: SolanaNode,
  account: string,
  { landed, open }: Hashes,
  { since, newest }: Times,
): Promise<boolean | string> {
  const { signatures: page, from = Number.POSITIVE_INFINITY, to = 0 } = await node.scans.kept(account, MOST, ASK_MS);
  const doubt = oldBlock(node.caip2, to * 1000, newest);
  if (doubt !== undefined) return doubt;
  for (let at = 0; at < page.length; at += AT_ONCE) {
    const some: SolanaSigned[] = page.slice(at, at + AT_ONCE);
    const unknown = some.filter(({ signature }) => !landed.has(signature) && !open.has(signature));
    const found = await node.scans.transactions(
      unknown.map(({ signature }) => signature),
      ASK_MS,
    );
    const bySignature = new Map(found.flatMap((one) => (one === undefined ? [] : [[one.signature, one] as const])));
    for (const { signature } of some) {
      if (landed.has(signature)) return false;
      // On Solana a later transaction may land before an earlier one.
      if (open.has(signature)) continue;
      const transaction = bySignature.get(signature);
      // An endpoint that does not have it cannot say whose it is.
      if (transaction === undefined || transaction.signers[0]?.address === account) return true;
    }
  }
  if (page.length >= Math.min(MOST, SIGNATURES_PAGE))
    return `the newest ${MOST} transactions that name ${account} do not show whether it sent any itself`;
  if (from * 1000 <= since) return false;
  return `the RPC endpoint of ${node.caip2} lacks blocks since ${rfc3339(since)}, and cannot show what ${account} sent. Set one that has them`;
}

async function fateOfSigned(node: SolanaNode, send: Send): Promise<Fate> {
  const [found] = await node.statuses([send.hash], { history: true });
  // It is broadcast with the same bytes until its blockhash expires, and never signed anew.
  return found?.value === undefined ? 'waits' : 'mined';
}

/** Asks the chain about the open sends of one account. Throws NoNodeError. */
export async function judgeSolana(
  node: SolanaNode,
  read: Reader,
  key: AccountKey,
  sends: readonly Send[],
  newest: number,
): Promise<JudgedAccount> {
  const queued = sends.filter(({ state }) => state === 'queued');
  const signed = sends.filter(({ state }) => state !== 'queued');
  const since = Math.min(...queued.filter((send) => !isFixed(send)).map(({ createdAt }) => createdAt));
  const asks = since < Number.POSITIVE_INFINITY;
  const isForeign = asks && (await hasForeign(node, key.account, await knownHashes(read, key, sends), { since, newest }));
  if (typeof isForeign === 'string') return heldAll(sends, isForeign);
  const found = await mapConcurrently(signed, async (send) => ({ send, fate: await fateOfSigned(node, send) }));
  const fateOf = (send: Send): Fate => (isForeign && !isFixed(send) ? 'maybe sent' : 'safe');
  return { judged: [...found, ...queued.map((send) => ({ send, fate: fateOf(send) }))], held: undefined };
}
