/**
 * Writes what is made from the sources and checked in. With --check it writes nothing and fails if anything would change.
 * With --interface FILE it prints instead what a newer document of the published interface would need. With --write it also brings
 * tests/conformance/interface/ to that document.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { activities } from '../src/activities/index.ts';
import { policyEnvironment } from '../src/app/policy-environment.ts';
import { proxyEndpoints } from '../src/auth-proxy/index.ts';
import { describeEnvironment } from '../src/policy/index.ts';
import { queries } from '../src/queries/index.ts';
import { activityFacts, queryFacts } from '../tests/conformance/interface.ts';
import { REFUSED } from '../tests/conformance/not-yet.ts';
import { clientMethods } from './generate/client-methods.ts';
import { contractFiles } from './generate/contracts.ts';
import { coverage } from './generate/coverage.ts';
import { errorTable } from './generate/errors.ts';
import { follow } from './generate/interface.ts';
import { manual } from './generate/manual.ts';
import { authProxyOpenapi } from './generate/openapi/auth-proxy.ts';
import { openapi } from './generate/openapi/document.ts';
import { STAMPS, sectionOf } from './generate/openapi/stamps.ts';
import { operationsHelp } from './generate/operations-help.ts';
import { between, parameterTables } from './generate/parameter-tables.ts';
import { reviewMembers } from './generate/review-members.ts';
import { schemaSql } from './generate/schema.ts';

/** The parts of the interface that nothing serves: `NOT_YET` of the conformance tests. */
function notYet(): object {
  const served = new Set([...activities.flatMap((kind) => [...kind.versions.keys()]), ...queries.map((kind) => kind.path)]);
  const missing = (names: readonly string[]) => names.filter((name) => !served.has(name) && !(name in REFUSED)).sort();
  return {
    types: missing(activityFacts.flatMap((fact) => Object.keys(fact.versions))),
    paths: missing(queryFacts.map((fact) => fact.path)),
  };
}

/** For the command line, which would load all operations otherwise. */
function operations(): object {
  const submit = activities.map(({ path, versions }) => [path.split('/').at(-1)!, { path, types: [...versions.keys()] }]);
  return { submit: Object.fromEntries(submit), query: Object.fromEntries(queries.map(({ name, path }) => [name, { path }])) };
}

const root = new URL('../', import.meta.url);

function generated(): Record<string, string> {
  const description = describeEnvironment(policyEnvironment);
  const language = 'docs/policy-language.md';
  const errors = 'docs/errors.md';
  const stamps = 'docs/stamps.md';
  const document = (name: string) => readFileSync(new URL(name, root), 'utf8');
  const contracts = contractFiles();
  const aboutContracts = 'contracts/README.md';

  return {
    'openapi/public-api.json': `${JSON.stringify(openapi(activities, queries), null, 2)}\n`,
    'openapi/auth-proxy.json': `${JSON.stringify(authProxyOpenapi(proxyEndpoints, activities), null, 2)}\n`,
    'openapi/operations.json': `${JSON.stringify(operations(), null, 2)}\n`,
    'man/countersign.1': manual(),
    'openapi/client-methods.json': `${JSON.stringify(clientMethods([...activities, ...queries, ...proxyEndpoints].map(({ path }) => path)), null, 2)}\n`,
    [errors]: between(document(errors), 'errors', errorTable()),
    [stamps]: between(document(stamps), 'stamps', STAMPS.map(sectionOf).join('\n\n')),
    'openapi/operations-help.json': operationsHelp(activities, queries),
    [language]: between(document(language), 'parameters', parameterTables(description)),
    ...contracts.files,
    [aboutContracts]: between(document(aboutContracts), 'addresses', contracts.table),
    'openapi/policy-environment.json': `${JSON.stringify(description, null, 2)}\n`,
    'review/members.ts': reviewMembers(activities),
    'docs/coverage.md': coverage(activities, queries),
    'tests/conformance/not-yet.json': `${JSON.stringify(notYet(), null, 2)}\n`,
    'src/store/schema.sqlite.sql': schemaSql('sqlite'),
    'src/store/schema.postgres.sql': schemaSql('postgres'),
  };
}

function write(check: boolean): void {
  let changed = 0;
  for (const [name, text] of Object.entries(generated())) {
    const file = new URL(name, root);
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    changed++;
    process.stdout.write(`${check ? 'out of date' : 'written'}: ${name}\n`);
    if (!check) writeFileSync(file, text);
  }
  if (check && changed > 0) {
    process.stdout.write('run npm run generate and commit what it writes\n');
    process.exitCode = 1;
  } else if (changed === 0) process.stdout.write('everything is up to date\n');
}

const { values: options } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    interface: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
if (options.interface === undefined) write(options.check);
else follow(JSON.parse(readFileSync(options.interface, 'utf8')), options.write);
