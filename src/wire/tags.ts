import { z } from 'zod';
import { wireTimestamp } from '../base/time.ts';
import type { Tag as TagModel } from '../model/tag.ts';
import { Id, IdOut, Timestamp } from './common.ts';

export const Tag = z.object({
  tagId: IdOut,
  tagName: z.string(),
  tagType: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

/** Users or private keys that get or lose a tag. */
export const TagMembers = z.array(Id).max(1000);

export const TagIds = z.array(Id).min(1, 'must name at least one tag').max(100);

const TYPE: Readonly<Record<TagModel['kind'], string>> = { user: 'TAG_TYPE_USER', private_key: 'TAG_TYPE_PRIVATE_KEY' };

export function viewTag({ id, kind, name, createdAt, updatedAt }: TagModel): z.output<typeof Tag> {
  return {
    tagId: id,
    tagName: name,
    tagType: TYPE[kind],
    createdAt: wireTimestamp(createdAt),
    updatedAt: wireTimestamp(updatedAt),
  };
}
