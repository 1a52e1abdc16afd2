import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { freePort } from './process.ts';

export type Anvil = { url: string; pid: number; stop(): Promise<void> };

/** A real EVM node with its ten funded accounts. Its program comes inside the npm package of the platform. */
export async function startAnvil(...more: string[]): Promise<Anvil> {
  const name = { x64: 'amd64', arm64: 'arm64' }[process.arch as 'x64' | 'arm64'];
  const program = createRequire(import.meta.url).resolve(`@foundry-rs/anvil-${process.platform}-${name}/bin/anvil`);
  const port = await freePort();
  const child = spawn(program, ['--port', String(port), '--chain-id', '31337', '--silent', ...more], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
  for (let tries = 0; ; tries++) {
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).catch(
      () => undefined,
    );
    if (answer?.ok) break;
    if (tries === 6000 || child.exitCode !== null) throw new Error('anvil did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url,
    pid: child.pid!,
    async stop() {
      child.kill();
      await ended;
    },
  };
}
