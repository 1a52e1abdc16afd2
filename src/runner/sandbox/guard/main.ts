/**
 * A process of its own, which ends what a killed runner leaves. The kernel kills an app with its runner, but an app can undo that. The
 * runner holds the other end of the standard input, so its end is the runner's.
 */
import { findCgroups } from '../cgroups/find.ts';
import { emptyAndRemove } from '../cgroups/remove.ts';

const [owner] = process.argv.slice(2) as [string];
const cgroups = findCgroups();

// A service manager signals all processes of a unit. The runner ends its apps then, and its end is this one's.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});

process.stdin.resume();
process.stdin.once('close', async () => {
  const left = cgroups.names().filter((name) => name.startsWith(owner));
  await Promise.all(left.map((name) => emptyAndRemove(cgroups.existing(name))));
  process.exit();
});
process.stdout.write('ready\n');
