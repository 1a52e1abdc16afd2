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

/** Closes what the runner inherited from its starter, joins the groups, and becomes what follows. Bash can close files above 9. */
const JOIN = `
for f in /proc/self/fd/*; do f="\${f##*/}"; if [ "$f" -gt ${EXECUTABLE_FD} ]; then eval "exec $f>&-"; fi; done
ulimit -n "$1"; n="$2"; shift 2
while [ "$n" -gt 0 ]; do echo $$ > "$1" || exit 125; shift; n=$((n-1)); done
exec "$@"`;

const OPEN_FILES = 1024;

/** The command in these groups, so that no process of it is ever outside. */
export const joining = ({ joinFiles }: Group, openFiles: number, command: readonly string[]): [string, ...string[]] => [
  'bash',
  ...['-c', JOIN, 'bash', String(openFiles), String(joinFiles.length), ...joinFiles, ...command],
];

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
  const [shell, ...args] = joining(wish.group, OPEN_FILES, [...unprivileged(wish.uid), ...bubblewrap(wish)]);
  const child = spawn(shell, args, {
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
