/** A problem with a bundle, worded to follow the name of a field. Never quotes the bundle's content. */
export class BundleError extends Error {
  override readonly name = 'BundleError';
}
