import type { Made } from './tree.ts';
export function newTable(_name: string): Made {
  return { files: [], next: [] };
}
