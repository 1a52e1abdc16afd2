import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { freePort } from './process.ts';

export type Anvil = { url: string; pid: number; stop(): Promise<void> };

const LOOK_EVERY_MS = 1000;

async function ask<T>(url: string, method: string): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] });
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return ((await answer.json()) as { result: T }).result;
}

/**
 * Anvil mines what arrives, but on a busy machine it now and then passes a transaction over until the next block. So whoever waits while
 * no block comes gets one. Nothing happens where it mines only when it is told to.
 */
function remind(url: string): NodeJS.Timeout {
  let before = '';
  const look = async () => {
    const waits = (await ask<{ pending: string }>(url, 'txpool_status')).pending !== '0x0';
    const height = await ask<string>(url, 'eth_blockNumber');
    const isStuck = waits && height === before;
    before = waits ? height : '';
    if (isStuck && (await ask<boolean>(url, 'anvil_getAutomine'))) await ask(url, 'evm_mine');
  };
  // One that is asked after its end does not answer.
  return setInterval(() => void look().catch(() => {}), LOOK_EVERY_MS).unref();
}

/** A real EVM node with its ten funded accounts. Its program comes inside the npm package of the platform. */
export async function startAnvil(...more: string[]): Promise<Anvil> {
  const name = { x64: 'amd64', arm64: 'arm64' }[process.arch as 'x64' | 'arm64'];
  const program = createRequire(import.meta.url).resolve(`@foundry-rs/anvil-${process.platform}-${name}/bin/anvil`);
  const port = await freePort();
  const child = spawn(program, ['--port', String(port), '--chain-id', '31337', '--silent', ...more], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
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
      child.kill();
      await ended;
    },
  };
}
