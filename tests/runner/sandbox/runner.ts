/** A runner that starts the hostile app in the folder, tells its processes, and waits to be killed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSandbox } from '../../../src/runner/sandbox/sandbox.ts';
import { start, UIDS, verified } from './support.ts';

const folder = process.argv[2]!;
const sandbox = await openSandbox({ folder: join(folder, 'other'), uids: { first: UIDS.first + 100, count: 10 } });
const app = await start(sandbox, await verified(join(folder, 'hostile'), sandbox.folder), ['deaf']);
while (app.lines.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
const names = sandbox.cgroups.names().filter((one) => one.startsWith(`countersign-app.${process.pid}.`));
const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').map(Number);
const pids = [...new Set([...names.flatMap((name) => sandbox.cgroups.existing(name).pids()), ...children])];
process.stdout.write(JSON.stringify({ names, pids }));
await app.ended;
