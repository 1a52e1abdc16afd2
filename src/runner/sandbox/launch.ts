import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Group } from './cgroups/types.ts';

/** Where the app reads its quorum key until the end of the file. Its other files are the standard ones. */
export const KEY_FD = 3;
const STATUS_FD = 4;
const SECCOMP_FD = 5;
const EXECUTABLE_FD = 6;

/** The executable in the sandbox. */
const APP = '/app';

/** The environment of the tools that make the sandbox, never of the app. */
export const TOOLS_ENV = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };

/**
 * Closes what the runner inherited from its starter, joins the groups by the first files, and becomes what follows. So no process of
 * the app is ever outside its groups. Bash can close files with numbers above 9.
 */
const JOIN = `
for f in /proc/self/fd/*; do f="\${f##*/}"; if [ "$f" -gt ${EXECUTABLE_FD} ]; then eval "exec $f>&-"; fi; done
n="$1"; shift
while [ "$n" -gt 0 ]; do echo $$ > "$1" || exit 125; shift; n=$((n-1)); done
ulimit -n 1024
exec "$@"`;

export interface Launch {
  readonly uid: number;
  readonly group: Group;
  readonly executableFd: number;
  readonly seccomp: Buffer;
  readonly key: Uint8Array;
  readonly tmpBytes: number;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export interface Launched {
  readonly child: ChildProcess;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly status: Readable;
}

/** Namespaces of its own, in which no process has or gets rights. */
export const namespaces = (uid: number): string[] => [
  ...['user', 'net', 'pid', 'ipc', 'uts', 'cgroup'].map((one) => `--unshare-${one}`),
  ...['--disable-userns', '--uid', String(uid), '--gid', String(uid), '--cap-drop', 'ALL'],
];

function bubblewrap({ uid, tmpBytes, args, environment }: Launch): string[] {
  const variables = Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]);
  return [
    'bwrap',
    ...namespaces(uid),
    // Another process 1 would be of the app's user, and without the filter of system calls for a moment.
    ...['--as-pid-1', '--die-with-parent', '--new-session', '--hostname', 'app', '--clearenv', ...variables],
    ...['--json-status-fd', String(STATUS_FD), '--seccomp', String(SECCOMP_FD)],
    ...['--perms', '0555', '--ro-bind-data', String(EXECUTABLE_FD), APP, '--proc', '/proc'],
    ...['--size', String(tmpBytes), '--perms', '0700', '--tmpfs', '/tmp', '--remount-ro', '/'],
    ...['--', APP, ...args],
  ];
}

/** Becomes a user without rights. A core limit of 1 byte also keeps programs that collect cores from being started. */
export const unprivileged = (uid: number): string[] => [
  ...['prlimit', '--core=1', '--'],
  ...[
    'setpriv',
    '--reuid',
    String(uid),
    '--regid',
    String(uid),
    '--clear-groups',
    '--inh-caps=-all',
    '--bounding-set=-all',
    '--',
  ],
];

export function launch(wish: Launch): Launched {
  const { joinFiles } = wish.group;
  const command = [...unprivileged(wish.uid), ...bubblewrap(wish)];
  const child = spawn('bash', ['-c', JOIN, 'bash', String(joinFiles.length), ...joinFiles, ...command], {
    cwd: '/',
    env: TOOLS_ENV,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', wish.executableFd],
  });
  const [, stdout, stderr, key, status, seccomp] = child.stdio as unknown as [
    null,
    Readable,
    Readable,
    Writable,
    Readable,
    Writable,
  ];
  for (const [pipe, bytes] of [
    [key, wish.key],
    [seccomp, wish.seccomp],
  ] as const) {
    // An app need not read its key.
    pipe.on('error', () => {});
    pipe.end(bytes);
  }
  status.on('error', () => {});
  return { child, stdout, stderr, status };
}
