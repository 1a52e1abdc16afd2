export const HELP = `usage: npm test [-- OPTIONS] [FILE …]

Runs the check, the generated files, and most tests on SQLite. Tests in which the engines can differ run on a real PostgreSQL too.
docs/testing.md has the list. The run names what it left out.

  --full                    nearly everything, as CI does
  --release                 everything: all rounds of the longest tests too
  FILE …                    only these test files, or those in these folders, without the check
  --only SUBSTRING          only test files whose path contains it, without the check
  --changed                 only test files that changes since main may concern, without the check
  --engine sqlite|postgres  one engine only
  --seed N|random           seed of the property tests: 1, unless given
  --timeout SECONDS         how long a file may take: 900, unless given
  --costs FILE              write the processor time of each test file there
  --again                   at most ten failed files are run once more, one at a time, after the others of their engine. A file
                            that passes then counts as passed, and is named as flaky

TEST_DATABASE_URL names a PostgreSQL server (as superuser) to use instead of starting one.

  npm test -- tests/policy
  npm test -- tests/store/plans.test.ts --engine postgres
  npm test -- --changed`;
