import { ApiError } from '../base/errors.ts';
import type { ImagePort } from '../engine/ports.ts';
import type { Allowed } from '../outbound/allowed.ts';
import { guardedDownloads } from '../outbound/guard.ts';
import { OutboundError } from '../outbound/types.ts';
import { MANIFEST_BYTES } from '../runner/images/manifest.ts';
import { parseReference } from '../runner/images/reference.ts';
import { registryOf } from '../runner/images/registry.ts';

/** For a token, an index and a manifest together. */
const MILLISECONDS = 60_000;

const failed = (why: string): ApiError =>
  new ApiError('TVC_IMAGE_VALIDATION_FAILED', `the container image cannot be used: ${why}`);

/** Each may hold a manifest in memory for the whole time. No payer has all places, and no registry. */
const BOUNDS = { all: 16, payer: 4, host: 12, payerAtHost: 4, milliseconds: MILLISECONDS, bytes: MANIFEST_BYTES };

/** Only manifests are read: the layers are the runner's. */
export function openImages(allowed: Allowed): ImagePort {
  const download = guardedDownloads({ allowed, bounds: BOUNDS });
  return {
    async validated(name, { payer }) {
      const reference = parseReference(name);
      if (reference === undefined)
        throw failed('pivotContainerImageUrl must look like ghcr.io/team/app:1.0 or ghcr.io/team/app@sha256:…');
      try {
        const on = { payer, signal: AbortSignal.timeout(MILLISECONDS) };
        return (await registryOf(download, reference, on).image()).digest;
      } catch (error) {
        if (error instanceof OutboundError) throw failed(error.message);
        throw error;
      }
    },
  };
}
