import { ABSENT, BAD, type Request, readRoot } from './context.ts';
import { shownValue } from './explain.ts';

/** A root with its value as JSON, where integers inside are texts. `message`: why there is no value. */
export type ShownRoot = { root: string; value?: string; message?: string };

const TOO_LONG = 'is too long to show';
const UNREADABLE = 'cannot be read';

/** The values of all roots, at most `most` characters together. */
export function shownRoots(request: Request, most: number): ShownRoot[] {
  let left = most;
  const shown: ShownRoot[] = [];
  for (const root of Object.keys(request.roots)) {
    const value = readRoot(request, root);
    if (value === ABSENT) continue;
    if (value === BAD) {
      shown.push({ root, message: request.unreadable.get(root) ?? UNREADABLE });
      continue;
    }
    const text = shownValue(value, left);
    const fits = text.length <= left;
    shown.push(fits ? { root, value: text } : { root, message: TOO_LONG });
    if (fits) left -= text.length;
  }
  return shown;
}
