import type { Tag } from '../../model/tag.ts';
import { id, int, text } from '../columns.ts';
import { table } from '../table.ts';

export const tags = table('tags', {
  organizationId: id(),
  id: id(),
  kind: text<Tag['kind']>(),
  name: text(),
  createdAt: int(),
  updatedAt: int(),
});

export const tagMembers = table('tag_members', { organizationId: id(), tagId: id(), memberId: id() });
