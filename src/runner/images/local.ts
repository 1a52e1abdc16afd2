import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { partsOf } from './layer.ts';
import { refused } from './manifest.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** A local image is named `local:` and the path of its folder below APPS_IMAGES_DIR. */
const LOCAL = /^local:([^/].*)$/;

/** The path of a local image; undefined for an image of a registry. */
export const localName = (image: string): string | undefined => LOCAL.exec(image)?.[1];

/** Linux says of a link on the way that it is no folder. */
const WHY_NOT: Readonly<Record<string, string>> = { ENOENT: 'is missing', ELOOP: 'is a link', ENOTDIR: 'is a link or no folder' };

function whyNot(error: unknown): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  return WHY_NOT[code] ?? `cannot be opened by the runner: ${code}`;
}

/**
 * The executable of a local image, as an open file. Each folder is opened in the one before, and no link is followed. So the file is below
 * `imagesDir`, whatever changes meanwhile. Throws OutboundError.
 */
export function openLocal(imagesDir: string | undefined, name: string, path: string): number {
  if (imagesDir === undefined) throw refused('this runner has no local images: its operator can set APPS_IMAGES_DIR');
  const parts = [...partsOf(name), ...partsOf(path)];
  let at = openSync(imagesDir, O_RDONLY | O_DIRECTORY);
  for (const [i, part] of parts.entries()) {
    const isLast = i === parts.length - 1;
    try {
      // A named pipe without a writer would block.
      const next = openSync(`/proc/self/fd/${at}/${part}`, O_RDONLY | O_NOFOLLOW | (isLast ? O_NONBLOCK : O_DIRECTORY));
      closeSync(at);
      at = next;
    } catch (error) {
      closeSync(at);
      throw refused(`/${parts.slice(0, i + 1).join('/')} below APPS_IMAGES_DIR ${whyNot(error)}`);
    }
  }
  if (fstatSync(at).isFile()) return at;
  closeSync(at);
  throw refused(`/${parts.join('/')} below APPS_IMAGES_DIR is no file`);
}
