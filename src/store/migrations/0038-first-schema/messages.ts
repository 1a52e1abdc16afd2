import { id, index, int, nullable, table, text } from './define.ts';

export const messages = [
  table(
    'outbox',
    {
      id: text,
      organization_id: id,
      activity_id: id,
      payer_id: id,
      topic: text,
      payload: text,
      state: text,
      attempts: int,
      due_at: int,
      created_at: int,
      expires_at: nullable(int),
      last_error: text,
    },
    ['id'],
    // Has all columns of the query for an activity's messages. Otherwise SQLite uses an index on state and topic.
    index('outbox_by_activity_id', 'activity_id', 'topic', 'state', 'id'),
    // Includes the payer, so that the index alone suffices to skip a payer whose share is used up.
    index('outbox_by_due_at', 'state', 'topic', 'due_at', 'id', 'payer_id'),
    index('outbox_by_expires_at_id', 'expires_at', 'id'),
    // The waiting messages of one payer, independent of how many other messages wait.
    index('outbox_by_payer_id', 'state', 'topic', 'payer_id', 'due_at', 'id'),
    index('outbox_by_state_id', 'state', 'id'),
  ),
  table('mail_templates', { organization_id: id, id, name: text, html: text, uses: text, created_at: int }, [
    'organization_id',
    'id',
  ]),
  table(
    'email_events',
    {
      organization_id: id,
      id,
      message_id: text,
      event_type: text,
      from_address: text,
      to_address: text,
      to_key: text,
      details: text,
      created_at: int,
    },
    ['organization_id', 'id'],
    index('email_events_by_created_at', 'created_at'),
    index('email_events_by_event_type_id', 'organization_id', 'to_key', 'event_type', 'id'),
    index('email_events_by_to_key_id', 'organization_id', 'to_key', 'id'),
  ),
];
