import { BundleError } from '../../src/bundles/bundle-error.ts';
import { KeyFormatError } from '../../src/bundles/key-formats.ts';

/** What the app did wrong, in a sentence for its developer. Has no part of a secret. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

/** The value of an `ERROR`. Other errors may quote what they were given. */
export function messageOf(error: unknown): string {
  if (error instanceof BundleError) return `the bundle ${error.message}`;
  if (error instanceof FrameError || error instanceof KeyFormatError) return error.message;
  return 'the page could not do it';
}
