// with others: its nodes end with the file.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { freePort } from './free-port.ts';
import { guard } from './guard.ts';

export type Anvil = { url: string; pid: number; stop(): Promise<void> };

const LOOK_EVERY_MS = 1000;

async function ask<T>(url: string, method: string, ...params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return ((await answer.json()) as { result: T }).result;
}

type Pool<T> = Record<'pending' | 'queued', T>;
type Waiting = Record<string, Record<string, { hash: string }>>;

/** For a transaction that waits for nothing, all of its account are sent again, in order. */
async function sendAgain(url: string, [account, waiting]: [string, Waiting[string]]): Promise<void> {
  const nonces = Object.keys(waiting)
    .map(Number)
    .toSorted((a, b) => a - b);
  if (nonces[0] !== Number(await ask<string>(url, 'eth_getTransactionCount', account, 'latest'))) return;
  const raw: string[] = [];
  for (const nonce of nonces) raw.push(await ask(url, 'eth_getRawTransactionByHash', waiting[nonce]!.hash));
  await ask(url, 'anvil_removePoolTransactions', account);
  for (const each of raw) await ask(url, 'eth_sendRawTransaction', each);
}

/**
 * Anvil mines each transaction when it arrives. On a busy machine it sometimes leaves one out until the next block
 * (foundry-rs/foundry#10122). Or it lets one wait for an earlier one that is mined already. So if a transaction waits while no
 * block comes, one is mined, unless the test mines its blocks. A transaction that waits for nothing is sent again.
 */
function remind(url: string): NodeJS.Timeout {
  let before = { height: '', queued: new Set<string>() };
  const look = async () => {
    const { pending, queued } = await ask<Pool<string>>(url, 'txpool_status');
    const last = before;
    before = { height: pending === '0x0' ? '' : await ask<string>(url, 'eth_blockNumber'), queued: new Set() };
    if (before.height !== '' && before.height === last.height && (await ask<boolean>(url, 'anvil_getAutomine')))
      await ask(url, 'evm_mine');
    if (queued === '0x0') return;
    for (const one of Object.entries((await ask<Pool<Waiting>>(url, 'txpool_content')).queued)) {
      const hashes = Object.values(one[1]).map(({ hash }) => hash);
      if (hashes.every((hash) => last.queued.has(hash))) await sendAgain(url, one);
      for (const hash of hashes) before.queued.add(hash);
    }
  };
  // A stopped node does not answer.
  return setInterval(() => void look().catch(() => {}), LOOK_EVERY_MS).unref();
}

/** A real EVM node with its ten funded accounts. Its program comes inside the npm package of the platform. */
export async function startAnvil(...more: string[]): Promise<Anvil> {
  const name = { x64: 'amd64', arm64: 'arm64' }[process.arch as 'x64' | 'arm64'];
  const program = createRequire(import.meta.url).resolve(`@foundry-rs/anvil-${process.platform}-${name}/bin/anvil`);
  const port = await freePort();
  const child = spawn(program, ['--port', String(port), '--chain-id', '31337', '--silent', ...more], { stdio: 'ignore' });
  guard(child);
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  // A test that fails does not wait for its node.
  child.unref();
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries++) {
    if (await ask(url, 'eth_chainId').catch(() => undefined)) break;
    if (tries === 6000 || child.exitCode !== null) throw new Error('anvil did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const reminder = remind(url);
  return {
    url,
    pid: child.pid!,
    async stop() {
      clearInterval(reminder);
      child.ref();
      child.kill();
      await ended;
    },
  };
}
