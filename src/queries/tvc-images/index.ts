import type { QueryKind } from '../../engine/query/declare.ts';
import { validateTvcImage } from './validate-tvc-image.ts';

export const tvcImages: readonly QueryKind[] = [validateTvcImage];
