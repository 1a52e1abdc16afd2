import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { activities } from '../../src/activities/index.ts';
import { queries } from '../../src/queries/index.ts';
import { type Answer, type Client, newKeys, post } from '../support/client.ts';
import { isFull, isRelease } from '../support/full.ts';
import { startInstance } from '../support/instance.ts';
import { NOBODY } from '../support/refusals.ts';
import { type Attack, attacksOn } from '../support/world/attacks.ts';
import { type Dump, difference, openDump, type Rows } from '../support/world/dump.ts';
import { put, shown } from '../support/world/fields.ts';
import { homeOf, newHome, newTopLevel, okOf, roomy } from '../support/world/homes.ts';
import { type Home, KINDS, kindOf, type Things, thingsIn } from '../support/world/kinds.ts';
import {
  filled,
  goodParameters,
  type Operation,
  queryOperation,
  send,
  versionsAsked,
  versionsOf,
} from '../support/world/parameters.ts';
import { booted, PLACES } from '../support/world/runs.ts';

/**
 * The tenancy matrix, made from the two lists. For every operation, every field that names something, and every kind of thing
 * that it may name. A resource of another organization is answered exactly as one that does not exist. The answer shows nothing
 * of that organization, and none of its rows changes. A field of a later operation is found by itself, and fails here until
 * `fields.ts` and `kinds.ts` know what it names.
 */

const instance = await startInstance(roomy);

/** The caller, the organization of the request, and the owner of the named things. `reads`: they may only ask queries there. */
type Relation = {
  who: string;
  client: Client;
  things: Things;
  victim: Things;
  reads: boolean;
  /** Another organization in the same place: what was called as the victim's thing is called so here from then on. */
  another: (() => Promise<Home>) | undefined;
};

/** Queries first: those who attack write down what they named. */
const operations = [...queries.map(queryOperation), ...activities.flatMap(versionsAsked)];
const relations: Relation[] = [];
let victims: Things[];
/** The ids and texts in rows of a victim. */
const marks = new Map<Things, ReadonlySet<string>>();
let dump: Dump;
let untouched: Rows;
const idsOf = (things: readonly Things[]) => things.map(({ home }) => home.client.organizationId);

/** What one may see all the same. A parent reads its sub-organizations, and every caller may ask whoami. */
const SEEN: Readonly<Record<string, (home: Home, everything: readonly string[]) => readonly string[]>> = {
  'the parent: list_suborgs': ({ client }) => [client.organizationId],
  'the parent: list_verified_suborgs': ({ client }) => [client.organizationId],
  'the parent: get_usage': ({ client }) => [client.organizationId],
  // The activity that made it.
  'the parent: list_activities': ({ client, userId, label }) => [client.organizationId, userId, label()],
  'a parent, of itself in its child: whoami': ({ client, userId, label }) => [client.organizationId, userId, label()],
  // Its own policies decide about what it may start there.
  'a parent, of itself in its child: simulate_activity': (_, everything) => everything,
};

/** A parent finds its sub-organization by what is in it, or pages from it. */
const FINDS_BELOW = new Set(['list_suborgs', 'list_verified_suborgs', 'get_usage']);

/** Asked of the parent, it answers for the sub-organization that the key is in. */
const FINDS_SUB_ORGANIZATION = new Set(['whoami']);
/** Here it is looked for in the child: what is asked for of the parent is not there. */
const FINDS_OWN = new Set(['get_activity']);

const codeOf = (answer: Answer): string => answer.body.details[0].turnkeyErrorCode;

const UUIDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

before(async () => {
  const root = homeOf(instance);
  const sub = thingsIn(await newHome(instance, 'the victim below', 'the victim below'));
  const top = thingsIn(await newTopLevel(instance, 'the victim on top', 'the victim on top'));
  const newSibling = () => newHome(instance, 'Sibling');
  const newStranger = () => newTopLevel(instance, 'Stranger');
  const child = await newHome(instance, 'Child', undefined, top.home.client);
  const [sibling, stranger] = [await newSibling(), await newStranger()];
  victims = [sub, top];
  for (const things of victims) {
    for (const kind of Object.keys(KINDS)) await things.get(kind);
    const verified = 'email_verified = 1, verified_email_key = email_key, phone_verified = 1, verified_phone = phone';
    await instance.raw(`UPDATE users SET ${verified} WHERE id = $1`, await things.get('user'));
  }
  const asks = (who: string, home: Home, victim: Things, another?: () => Promise<Home>) =>
    relations.push({ who, client: home.client, things: thingsIn(home), victim, reads: false, another });
  asks('a stranger', stranger, sub, newStranger);
  asks('a stranger to a top-level organization', stranger, top, newStranger);
  asks('a sibling', sibling, sub, newSibling);
  asks('the parent', root, sub);
  asks('a child', child, top);
  const reads = (who: string, reader: Client, home: Home, victim: Things) => {
    const client = reader.as(reader.keys, home.client.organizationId);
    relations.push({ who, client, things: thingsIn(home), victim, reads: true, another: undefined });
  };
  reads('the parent, in a sibling', instance.root, sibling, sub);
  reads('a parent, of itself in its child', top.home.client, child, top);
  // Simulations show the policies that there are: none may be made between two that are compared.
  for (const { things } of relations) await things.get('policy');
  // Those of a child are rows of its parent.
  for (const { things } of relations) await things.get(INHERITED);
  await booted(instance);
  dump = await openDump(instance);
  untouched = await dump.of(idsOf(victims));
  for (const things of victims) {
    const rows = JSON.stringify([...(await dump.of(idsOf([things]))).values()]);
    const found = new Set(rows.match(UUIDS));
    for (const kind of Object.keys(KINDS)) found.add(await things.get(kind));
    for (const known of [root, child]) for (const id of [known.client.organizationId, known.userId]) found.delete(id);
    for (const own of relations) found.delete(await own.things.get(INHERITED));
    marks.set(things, found);
  }
});
after(async () => {
  await dump?.close();
  await instance.close();
});

/** What says what was sent, and when: no two requests have it in common. */
const OF_ITS_OWN = new Set([
  'createdAt',
  'updatedAt',
  'timestampMs',
  'fingerprint',
  'intent',
  'votes',
  'session',
  'credentialBundle',
]);

/** A busy machine explains fewer policies in the time that a simulation has. */
const EXPLANATIONS = new Set(['failedClause', 'values']);

/** An answer without what differs between any two: ids, times, keys, signatures, and what was asked for. */
const comparable = ({ status, body }: Answer, named: string): string =>
  `${status} ${JSON.stringify(body, (key, value) => (OF_ITS_OWN.has(key) || EXPLANATIONS.has(key) ? undefined : value))}`
    .replaceAll(named, '<named>')
    .replace(UUIDS, '<id>')
    .replace(/(0x)?[0-9a-f]{40,}/gi, '<hex>')
    .replace(/[0-9a-f]{12}@example|\+1415\d{7}|\b(nobody|own) [0-9a-f]+/g, '<name>')
    .replace(/"(r|s|v)":"[0-9a-f]+"/g, '"$1":"<hex>"')
    .replace(/"(session|credentialBundle)":"[^"]+"/g, '"$1":"<sealed or signed>"');

function shows(answer: Answer, { victim, who }: Relation, allowed: readonly string[], place: string): void {
  const seen = marks.get(victim)!;
  for (const id of answer.text.match(UUIDS) ?? [])
    assert.ok(!seen.has(id) || allowed.includes(id), `${place}: ${who} is shown ${id}: ${answer.text}`);
  for (const text of seen)
    assert.ok(text.length < 10 || allowed.includes(text) || !answer.text.includes(text), `${place}: ${who} is shown ${text}`);
}

async function leavesAlone(place: string): Promise<void> {
  const before = untouched;
  untouched = await dump.of(idsOf(victims));
  assert.deepEqual(difference(before, untouched), [], `${place} changes rows of another organization`);
}

/** A sub-organization has the session profiles of its parent, as its siblings do. */
const INHERITED = 'sessionProfile';
const INHERITS = new Set(['a sibling', 'the parent', 'the parent, in a sibling', 'a child', 'a parent, of itself in its child']);

async function allowedTo({ who, victim }: Relation, { name }: Operation): Promise<readonly string[]> {
  if (INHERITS.has(who) && name === 'get_session_profiles') return [await victim.get(INHERITED), victim.home.label()];
  return SEEN[`${who}: ${name}`]?.(victim.home, [...marks.get(victim)!]) ?? [];
}

/** The field alone, and beside what is their own: parameters that name something, by how it is named. */
function ways(operation: Operation, { leaf, kind, beside: more, place }: Attack, things: () => Things) {
  const build = (beside: boolean) => async (named: string) => {
    const own = things();
    const parameters = { ...(await goodParameters(operation, own, leaf)), ...(await more?.(own)) };
    const path = beside ? leaf.path.slice(0, -1) : leaf.path;
    const value = beside ? [await own.get(kind), named] : named;
    const at = `${operation.type}: ${shown(leaf.path)}`;
    const isPlaced = place ? place(parameters, named) : put(parameters, path, value);
    assert.ok(isPlaced, `${at} cannot be reached: give the list an element in the sample`);
    return parameters;
  };
  return leaf.path.at(-1) === 0 && !kindOf(kind).fresh ? [build(false), build(true)] : [build(false)];
}

/** What the parent called as the victim calls it. */
const taken = new Set<string>();

async function attacked(operation: Operation, attack: Attack, relation: Relation): Promise<void> {
  const { leaf, kind } = attack;
  const { who, victim, another } = relation;
  const { fresh, unknown } = kindOf(kind);
  // An operation that runs once in an organization cannot be compared there.
  if (fresh && operation.name in PLACES) return;
  if (INHERITS.has(who) && kind === INHERITED) return;
  // What it may submit in its child, its own policies decide: it is told their names, and one is called as it calls its things.
  if (fresh && who === 'a parent, of itself in its child' && operation.name === 'simulate_activity') return;
  // A list of its sub-organizations is paged by their ids.
  if (who === 'the parent' && kind === 'organization' && FINDS_BELOW.has(operation.name)) return;
  const member = String(leaf.path.filter((part) => part !== 0).at(-1));
  const taking = `${who} ${kind} ${member.replace(/^new/, '').toLowerCase()}`;
  if (fresh && another === undefined && operation.kind !== undefined) {
    if (taken.has(taking)) return;
    taken.add(taking);
  }
  const home = fresh && another && operation.kind ? await another() : relation.things.home;
  // An activity may use up what it names.
  const things = () => (operation.kind === undefined ? relation.things : thingsIn(home));
  const client = operation.kind === undefined ? relation.client : home.client;
  const place = `${operation.type}: ${shown(leaf.path)} names a ${kind} for ${who}`;
  const theirs = await victim.get(kind);
  const nobodys = unknown(theirs);
  for (const parameters of ways(operation, attack, things)) {
    const unknown = await send(client, operation, await parameters(nobodys));
    const foreign = await send(client, operation, await parameters(theirs));
    const isFound = who === 'the parent' && FINDS_BELOW.has(operation.name) && attack.beside !== undefined;
    if (isFound) assert.deepEqual(foreign.body, { organizationIds: [victim.home.client.organizationId] }, place);
    else assert.equal(comparable(foreign, theirs), comparable(unknown, nobodys), place);
    shows(foreign, relation, [theirs, ...(await allowedTo(relation, operation))], place);
  }
}

const READER = 'the parent, in a sibling';
const OUTSIDE = ['a stranger to a top-level organization', 'a sibling'];

/** A reader, and one of two outsiders by turns. In `--full` one of the others too, for the newest versions. In `--release` all. */
function asked(turn: number, { kind, type }: Operation): readonly Relation[] {
  if (isRelease) return relations;
  const others = relations.filter(({ who }) => who !== READER && !OUTSIDE.includes(who));
  const isNewest = kind === undefined || type === versionsOf(kind).at(-1)!.type;
  const names = [READER, OUTSIDE[turn % OUTSIDE.length]];
  if (isFull && isNewest) names.push(others[turn % others.length]!.who);
  return relations.filter(({ who }) => names.includes(who));
}

for (const [turn, operation] of operations.entries()) {
  test(`${operation.type.replace('ACTIVITY_TYPE_', '')}: what another organization has is as unknown as what nobody has`, async () => {
    const attacks = attacksOn(operation);
    const asking = asked(turn, operation).filter(({ reads }) => !reads || operation.kind === undefined);
    const all = asking.map(async (relation) => {
      if (operation.kind === undefined) {
        const answer = await send(relation.client, operation, await goodParameters(operation, relation.things));
        shows(answer, relation, await allowedTo(relation, operation), operation.type);
      }
      for (const attack of attacks) await attacked(operation, attack, relation);
    });
    await Promise.all(all);
    await leavesAlone(operation.type);
  });
}

/** Everybody who is no user of it, and what they are told, whatever they ask for in the words of its own users. */
test('an organization is closed to callers outside it, and none of its rows changes', async () => {
  const [sub, top] = victims as [Things, Things];
  const [stranger, , sibling, parent, child] = relations as [Relation, Relation, Relation, Relation, Relation];
  const at = ({ client }: Relation, { home }: Things) => client.as(client.keys, home.client.organizationId);
  const nobody = sub.home.client.as(newKeys());
  const closed: [string, Client, Things][] = [
    ['a stranger', at(stranger, sub), sub],
    ['a stranger, on top', at(stranger, top), top],
    ['a sibling', at(sibling, sub), sub],
    ['a child', at(child, top), top],
    ['an unknown key', nobody, sub],
  ];
  for (const operation of operations.filter(({ kind }) => kind?.submitters.from !== 'newcomer')) {
    for (const [who, client, victim] of closed) {
      const asked = await filled(operation, victim);
      const answer = await send(client, operation, asked, { ownKey: true });
      const place = `${operation.type} for ${who}: ${answer.text}`;
      if (who === 'a child' && operation.kind?.submitters.from === 'below') {
        // It runs where the child's key is, and shows the body, which names the parent.
        shows(answer, { ...stranger, who, victim }, [victim.home.client.organizationId], place);
        continue;
      }
      if (who === 'a child' && FINDS_SUB_ORGANIZATION.has(operation.name)) {
        assert.equal(answer.body.organizationId, child.client.organizationId, place);
        continue;
      }
      const isOwn = who === 'a child' && FINDS_OWN.has(operation.name);
      assert.deepEqual([answer.status, codeOf(answer)], isOwn ? [404, 'UNSPECIFIED'] : [401, 'PUBLIC_KEY_NOT_FOUND'], place);
      // A refusal names a missing thing as the request named it.
      const known = isOwn ? [(asked as { activityId: string }).activityId] : [];
      shows(answer, { ...stranger, who, victim }, known, place);
    }
    // A parent reads, and does not act, except where an activity is for it. A vote of its users counts on what those submitted.
    if (operation.kind?.submitters.from === 'parent' && operation.kind.votes === undefined) continue;
    const answer = await send(at(parent, sub), operation, await filled(operation, sub), { ownKey: true });
    const refusal = [400, 'ORGANIZATION_MISMATCH'];
    if (operation.kind === undefined) assert.equal(answer.status, okOf(operation.name), `${operation.type}: ${answer.text}`);
    else assert.deepEqual([answer.status, codeOf(answer)], refusal, `${operation.type}: ${answer.text}`);
  }
  await leavesAlone('one of these requests');
});

/** Ids of organizations are no secret: clients send them around, and published ones tell a wrong id from a wrong key by these answers. */
test('a caller without a key learns whether an organization exists, and nothing else of it', async () => {
  for (const operation of operations) {
    const answers = new Set<string>();
    for (const { home } of victims) {
      const { organizationId } = home.client;
      const body = JSON.stringify({ type: operation.type, timestampMs: '1', organizationId, parameters: {} });
      const answer = await post(`${instance.url}${operation.path}`, body);
      assert.deepEqual([answer.status, codeOf(answer)], [401, 'SIGNATURE_MISSING'], operation.type);
      answers.add(answer.text);
    }
    assert.equal(answers.size, 1, `${operation.type} answers the same for every organization`);
    const nowhere = JSON.stringify({ type: operation.type, timestampMs: '1', organizationId: NOBODY, parameters: {} });
    const unknown = await post(`${instance.url}${operation.path}`, nowhere);
    if (operation.kind?.submitters.from === 'newcomer') assert.deepEqual(unknown.text, [...answers][0], operation.type);
    else assert.deepEqual([unknown.status, codeOf(unknown)], [404, 'ORGANIZATION_NOT_FOUND'], operation.type);
  }
});
