import { spawnSync } from 'node:child_process';

/** Runs a program on a terminal of its own. */
export const ON_TERMINAL = ['python3', '-c', 'import os,pty,sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))'];

/** Why a test of a terminal is skipped. */
export const noTerminal = spawnSync('python3', ['-c', 'import pty']).status !== 0 && 'no Python makes a terminal here';
