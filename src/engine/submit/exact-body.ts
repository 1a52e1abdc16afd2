import { invalid } from '../../base/errors.ts';
import type { ActivityKind, ActivityVersion } from '../activity/declare.ts';
import { parseBody, type SubmitBody, submitBody } from '../request/body.ts';
import { unknownInSubmit } from '../request/unknown-members.ts';

export type ReadBody = { members: ReturnType<typeof parseBody>; submitted: SubmitBody; version: ActivityVersion };

function parsed(kind: ActivityKind, body: Buffer): ReadBody {
  const members = parseBody(body);
  const submitted = submitBody(members);
  const version = kind.versions.get(kind.aliases?.[submitted.type] ?? submitted.type);
  if (version === undefined) throw invalid('type', `must be ${[...kind.versions.keys()].join(' or ')} on this path`);
  return { members, submitted, version };
}

/**
 * The body of a submit, before anything is looked up. A kind that declares `exactly` gets one answer to every other body, which shows,
 * logs and keeps nothing of it. Throws REQUEST_INVALID and INVALID_ORGANIZATION_ID.
 */
export function readBody(kind: ActivityKind, body: Buffer): ReadBody {
  if (kind.exactly === undefined) return parsed(kind, body);
  try {
    const read = parsed(kind, body);
    // As sent: reading drops members that are null, and a copy of generateAppProofs in the parameters.
    const sent = JSON.parse(body.toString()) as { parameters: unknown };
    if (unknownInSubmit(sent, kind.params.schema(read.version.version), sent.parameters).length === 0) return read;
  } catch {
    // The error may be about a member that must not be named.
  }
  throw invalid('type', kind.exactly);
}
