import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Group, GroupLimits } from '../cgroups/types.ts';
import { NODE_FLAGS, ready } from '../helper.ts';
import { joining, TOOLS_ENV } from '../launch.ts';
import type { Status } from '../status.ts';
import type { ForwarderSettings } from './settings.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

/** What a process of Node.js needs, and buffers of all its connections. */
const LIMITS = { memoryBytes: 256 << 20, processes: 32 };
/** With less it would not listen in time. */
const LEAST_CPUS = 0.25;
/** Two for each connection of three ports. */
const OPEN_FILES = 2048;

export const forwarderLimits = ({ cpus }: { cpus: number }): GroupLimits => ({ ...LIMITS, cpus: Math.max(cpus, LEAST_CPUS) });

/** The app's network namespace as an open file. Throws if the process has gone and its number has another. */
function openNetNamespace({ pid, netNamespace }: Status): number {
  const fd = openSync(`/proc/${pid}/ns/net`, 'r');
  if (netNamespace === undefined || fstatSync(fd).ino === netNamespace) return fd;
  closeSync(fd);
  throw new Error('the app has ended');
}

/** Resolves once each socket listens. */
export async function startForwarder(of: Status, group: Group, settings: ForwarderSettings): Promise<ChildProcess> {
  const namespace = openNetNamespace(of);
  const command = ['nsenter', '--net=/proc/self/fd/3', '--', process.execPath, ...NODE_FLAGS, MAIN, JSON.stringify(settings)];
  const [shell, ...args] = joining(group, OPEN_FILES, command);
  const child = spawn(shell, args, { cwd: '/', env: TOOLS_ENV, stdio: ['pipe', 'pipe', 'pipe', namespace] });
  closeSync(namespace);
  await ready(child);
  return child;
}
