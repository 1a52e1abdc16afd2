import { id, index, int, nullable, table, text, withDefault } from './define.ts';

export const messages = [
  table(
    'outbox',
    {
      id: text,
      organization_id: id,
      activity_id: id,
      payer_id: nullable(id),
      topic: text,
      payload: text,
      state: text,
      attempts: int,
      due_at: int,
      created_at: int,
      expires_at: nullable(int),
      last_error: withDefault(text, "''"),
    },
    ['id'],
    // With all that is asked of an activity's messages: SQLite takes an index on state and topic otherwise.
    index('outbox_by_activity_id', 'activity_id', 'topic', 'state', 'id'),
    // With the payer, so that one whose share is taken is passed over in the index alone.
    index('outbox_by_due_at', 'state', 'topic', 'due_at', 'id', 'payer_id'),
    index('outbox_by_expires_at_id', 'expires_at', 'id'),
    // The waiting messages of one payer, however many others wait.
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
