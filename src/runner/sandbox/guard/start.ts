import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ownedName } from '../cgroups/remove.ts';
import { NODE_FLAGS, ready } from '../helper.ts';
import { TOOLS_ENV } from '../launch.ts';
import { SandboxRefused } from '../types.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

/** Starts the process that ends this runner's apps if this runner is killed. It has a session of its own, so no signal to a terminal ends it. */
export async function startGuard(): Promise<void> {
  const child = spawn(process.execPath, [...NODE_FLAGS, MAIN, ownedName('')], { cwd: '/', env: TOOLS_ENV, detached: true });
  try {
    await ready(child);
  } catch (error) {
    throw new SandboxRefused(`The process that ends the apps of a killed runner did not start: ${(error as Error).message}.`);
  }
  child.stdout.destroy();
  child.stderr.destroy();
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
}
