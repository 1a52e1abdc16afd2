/** Loaded before a test file that has a process of its own. */
import { tellWhole } from './processor-time.ts';
import { resolveQuickly } from './resolve.ts';

tellWhole();
resolveQuickly((url) => url);
