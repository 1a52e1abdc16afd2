/** Loaded before a test file that has a process of its own. */
import { resolveQuickly } from './resolve.ts';

resolveQuickly((url) => url);
