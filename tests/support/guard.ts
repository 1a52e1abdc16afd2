// with others: a guard ends with its child.
import { type ChildProcess, spawn } from 'node:child_process';

/** The child may lead a group, as `detached` ones do: then all of it ends. */
const GUARD = `pid=$1
send() { kill "$1" "-$pid" || kill "$1" "$pid"; } 2>/dev/null
read -r _
send -INT
for _ in 1 2 3 4 5 6 7 8 9 10; do send -0 && sleep 0.2; done
send -KILL
rm -rf "$2"`;

/** If this process is killed, a shell ends the child and removes the folder: the pipe to the shell then closes. */
export function guard(child: ChildProcess, folder = ''): void {
  if (process.platform === 'win32' || child.pid === undefined) return;
  const shell = spawn('/bin/sh', ['-c', GUARD, 'sh', String(child.pid), folder], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.on('error', () => undefined);
  shell.unref();
  (shell.stdin as { unref?: () => void } | null)?.unref?.();
  child.once('exit', () => shell.kill('SIGKILL'));
}
