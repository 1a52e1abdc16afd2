/** The frames as set-up built them (scripts/bundle-frames.ts). */
import { type BuiltPages, builtPages } from './built-pages.ts';

export const FRAMES_FILE = 'frames.json';

/** The frames of the published package, or of the present sources. Undefined if there are none. */
export const framesIn = (root: string): BuiltPages['files'] | undefined => builtPages(root, FRAMES_FILE, { present: true });
