import type { Tag } from '../../model/tag.ts';
import { int, text } from '../columns.ts';
import { table } from '../table.ts';

export const tags = table('tags', {
  organizationId: text(),
  id: text(),
  kind: text<Tag['kind']>(),
  name: text(),
  createdAt: int(),
  updatedAt: int(),
});

export const tagMembers = table('tag_members', { organizationId: text(), tagId: text(), memberId: text() });
