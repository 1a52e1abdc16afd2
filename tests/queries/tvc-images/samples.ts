import type { Samples } from '../../support/samples.ts';

/** Well-formed parameters of each operation's newest version. */
export const tvcImages: Samples = {
  validate_tvc_image: () => ({ pivotContainerImageUrl: '127.0.0.1:9/team/app' }),
};
