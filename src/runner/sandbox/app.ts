import type { ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import type { AppSpec } from './app-spec.ts';
import { killPids } from './cgroups/files.ts';
import { emptyAndRemove, ownedName } from './cgroups/remove.ts';
import type { Group } from './cgroups/types.ts';
import { checkSpec } from './check-spec.ts';
import { endingOf } from './ending.ts';
import { forwarderLimits, startForwarder } from './forwarder/start.ts';
import { type Launched, launch } from './launch.ts';
import { readLines } from './output.ts';
import type { Sandbox } from './sandbox.ts';
import { readStatus } from './status.ts';
import type { Ending } from './types.ts';

/** An app that was started. */
export interface App {
  /** The Unix socket that leads to this port of the app's loopback. */
  socketOf(port: number): string;
  /** Asks the app to end, and kills it after the grace. `text` tells the owner why. */
  stop(graceMs: number, text: string): Promise<Ending>;
  /** Resolves once no process of the app is left. */
  readonly ended: Promise<Ending>;
}

const START_MS = 10_000;
/** How long the last lines, and the end of an app whose forwarder fails, are waited for. */
const LAST_LINES_MS = 1_000;

let started = 0;

/** Starts the app and its forwarder. Afterwards `ended` tells everything that goes wrong. */
export async function startApp(sandbox: Sandbox, spec: AppSpec): Promise<App> {
  started += 1;
  const name = ownedName(String(started));
  const sockets = join(sandbox.folder, name);
  const socketOf = (port: number) => join(sockets, `${port}.sock`);
  checkSpec(spec);
  const limits = { ...spec.limits, memoryBytes: spec.limits.memoryBytes + spec.executable.bytes };
  const uid = sandbox.uids.take();
  const groups: Group[] = [];
  let launched: Launched;
  try {
    mkdirSync(sockets, { mode: 0o700 });
    groups.push(sandbox.cgroups.create(name, limits));
    groups.push(sandbox.cgroups.create(`${name}-forwarder`, forwarderLimits(limits)));
    launched = launchIn(sandbox, groups[0]!, uid, spec);
  } catch (error) {
    for (const group of groups) group.remove();
    rmSync(sockets, { recursive: true, force: true });
    sandbox.uids.give(uid);
    throw error;
  }

  const { child } = launched;
  const exited = exitOf(child);
  const status = readStatus(launched.status);
  let lastMessage = '';
  readLines(launched.stdout, 'stdout', spec.onLine);
  readLines(launched.stderr, 'stderr', (stream, line) => {
    lastMessage = line;
    spec.onLine(stream, line);
  });

  let stopText: string | undefined;
  const [members, forwarders] = groups as [Group, Group];
  const kill = (text: string) => {
    stopText ??= text;
    members.kill();
  };

  const ended = (async (): Promise<Ending> => {
    const code = await exited;
    // What ends from here on, such as the forwarder, is no reason.
    const stop = stopText;
    const counts = members.counts();
    // A forwarder that still starts would write into the folder.
    const [isEmpty] = await Promise.all([emptyAndRemove(members), emptyAndRemove(forwarders)]);
    await lastLines(launched);
    rmSync(sockets, { recursive: true, force: true });
    // A user of a process that cannot be killed is not given to another app.
    if (isEmpty) sandbox.uids.give(uid);
    return endingOf({ code, hasRun: status.hasRun(), stop, lastMessage, counts, limits });
  })();

  const inside = await Promise.race([status.started, setTimeout(START_MS, undefined, { ref: false })]);
  if (inside === undefined) kill(`The sandbox was not ready within ${START_MS} ms.`);
  else if (inside.pid !== undefined)
    try {
      const { ports, egress } = spec;
      const settings = { folder: sockets, ports, egress, uid: sandbox.forwarderUid };
      const forwarder = await startForwarder(inside, forwarders, settings);
      forwarder.once('exit', () => kill('Its forwarder ended.'));
    } catch (error) {
      // An app that ended at once took its namespace along: then the forwarder is no reason.
      const isOver = await Promise.race([exited.then(() => true), setTimeout(LAST_LINES_MS, false, { ref: false })]);
      if (!isOver && !status.hasRun()) kill(`Its forwarder did not start: ${(error as Error).message}`);
    }

  const stop = async (graceMs: number, text: string): Promise<Ending> => {
    stopText ??= text;
    // Bubblewrap would end without waiting for the app.
    killPids(
      members.pids().filter((pid) => pid !== child.pid),
      'SIGTERM',
    );
    const graceEnds = new AbortController();
    setTimeout(graceMs, undefined, { signal: graceEnds.signal }).then(
      () => kill(text),
      () => {},
    );
    return ended.finally(() => graceEnds.abort());
  };
  return { socketOf, stop, ended };
}

function launchIn({ seccomp }: Sandbox, group: Group, uid: number, spec: AppSpec): Launched {
  const executableFd = spec.executable.open();
  try {
    const { key, args, environment, limits } = spec;
    return launch({ uid, group, executableFd, seccomp, key, tmpBytes: limits.tmpBytes, args, environment });
  } finally {
    closeSync(executableFd);
  }
}

/** The code, or null after a signal and if the shell cannot be started. */
const exitOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    child.once('exit', resolve);
    child.once('error', () => resolve(null));
  });

async function lastLines({ stdout, stderr, status }: Launched): Promise<void> {
  const all = [stdout, stderr, status];
  const closed = Promise.allSettled(all.map((stream) => finished(stream)));
  await Promise.race([closed, setTimeout(LAST_LINES_MS, undefined, { ref: false })]);
  for (const stream of all) stream.destroy();
}
