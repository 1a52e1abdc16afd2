import type { Random } from '../../base/random.ts';
import type { RootKey } from '../types.ts';
import { localRoot } from './local.ts';

/** The root key as 64 hex digits from the environment, which a supervisor or a secret store fills in. */
export const envRoot = (hex: string, random: Random): RootKey => localRoot('env', Buffer.from(hex, 'hex'), 'ROOT_KEY', random);
