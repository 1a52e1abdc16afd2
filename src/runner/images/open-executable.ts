import { openSync, rmSync } from 'node:fs';
import type { Download } from '../../outbound/types.ts';
import { extractExecutable } from './executable.ts';
import { localName, openLocal } from './local.ts';
import { refused } from './manifest.ts';
import { parseReference } from './reference.ts';
import { registryOf } from './registry.ts';

type Wanted = { image: string; path: string; payer: string; signal: AbortSignal };

/** `temporary`: a name that is new. No file is left there. */
type Sources = { download: Download; imagesDir: string | undefined; temporary: string };

/** The executable of an image as an open file, which the caller closes. Throws OutboundError. */
export async function openExecutable(wanted: Wanted, { download, imagesDir, temporary }: Sources): Promise<number> {
  const { image, path, payer, signal } = wanted;
  const name = localName(image);
  if (name !== undefined) return openLocal(imagesDir, name, path);
  const reference = parseReference(image);
  if (reference === undefined) throw refused('its name must look like ghcr.io/team/app:1.0 or local:app');
  const registry = registryOf(download, reference, { payer, signal });
  try {
    await extractExecutable(registry, await registry.image(), path, temporary);
    return openSync(temporary, 'r');
  } finally {
    rmSync(temporary, { force: true });
  }
}
