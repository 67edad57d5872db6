import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

// Every statement that changes rows of a stored world carries the name of its journal and the fencing number of the
// process that holds it. Otherwise a process that was stopped for a while changes a world that it has lost.

const SOURCE = join(import.meta.dirname, '..')

/** Why a statement needs no fencing number of its own. */
const reasons = {
  locked: 'runs in `whileHeld`, or in a transaction that has locked the row of the journal',
  writer:
    'runs in one transaction with the position of the query tables, which carries the number of their writer',
  take: 'creates a journal, or takes a free one, and gives it a fencing number',
  end: 'changes only the end of a lease, so that it ends earlier',
  reservation: 'a reserved code has no journal',
  access: 'adds or erases facts of main, which is never deleted',
  node: 'a row of a node, not of a world',
  format: 'the format of the tables',
  snapshot: 'its transaction is committed only if the fencing number is still the latest',
  copy: 'a temporary copy in SQLite',
  note: 'a note about a backup changes no world',
  run: 'adds a file under a new name, or deletes one after its record; no other record ever names it',
  explanation: 'an explanation changes no world, and no later journal has the same name',
} as const

/** The statements without a fencing number, by file and beginning. */
const exempt: Readonly<Record<string, keyof typeof reasons>> = {
  'registry/store/postgres-access.ts: DELETE FROM quipu_addresses': 'access',
  'registry/store/postgres-access.ts: INSERT INTO quipu_addresses': 'access',
  'registry/store/postgres-access.ts: INSERT INTO quipu_key_uses': 'access',
  'registry/store/postgres-loss.ts: UPDATE quipu_${table}': 'locked',
  'backup/postgres-note.ts: INSERT INTO quipu_backups': 'note',
  'backup/postgres-rebuild.ts: DELETE FROM quipu_snapshots': 'locked',
  'backup/postgres-restore.ts: DELETE FROM quipu_${table}': 'locked',
  'backup/postgres-restore.ts: INSERT INTO quipu_events': 'locked',
  'backup/postgres-restore.ts: INSERT INTO quipu_journals': 'take',
  'backup/postgres-restore.ts: INSERT INTO quipu_segments': 'locked',
  'backup/postgres-restore.ts: INSERT INTO quipu_worlds': 'locked',
  'backup/postgres-restore.ts: UPDATE quipu_journals': 'locked',
  'backup/postgres-verify.ts: DELETE FROM ${table}': 'copy',
  'cluster/table.ts: DELETE FROM quipu_nodes': 'node',
  'cluster/table.ts: INSERT INTO quipu_nodes': 'node',
  'cluster/table.ts: UPDATE quipu_journals': 'end',
  'cluster/table.ts: UPDATE quipu_nodes': 'node',
  'journal/postgres/lease.ts: INSERT INTO quipu_journals': 'take',
  'postgres/migrations.ts: INSERT INTO quipu_meta': 'format',
  'registry/runs/postgres-run-files.ts: DELETE FROM quipu_run_files': 'run',
  'registry/runs/postgres-run-files.ts: INSERT INTO quipu_run_files': 'run',
  'registry/store/durable-postgres.ts: DELETE FROM quipu_${table}': 'locked',
  'registry/store/durable-postgres.ts: DELETE FROM quipu_worlds WHERE world = $1 AND code = $2 AND coalesce(':
    'locked',
  'registry/store/durable-postgres.ts: DELETE FROM quipu_worlds WHERE ${INTERRUPTED}': 'reservation',
  'registry/store/durable-postgres.ts: DELETE FROM quipu_worlds WHERE record IS NULL': 'reservation',
  'registry/store/durable-postgres.ts: INSERT INTO quipu_worlds': 'reservation',
  'registry/store/postgres-store.ts: DELETE FROM quipu_refusals': 'explanation',
  'registry/store/postgres-store.ts: INSERT INTO quipu_refusals': 'explanation',
  'query-tables/postgres/snapshot.ts: DELETE FROM quipu_snapshots': 'snapshot',
  'query-tables/postgres/snapshot.ts: INSERT INTO quipu_snapshots': 'snapshot',
  'query-tables/postgres/tables.ts: DELETE FROM ${table}': 'locked',
  'query-tables/postgres/tables.ts: INSERT INTO quipu_history': 'writer',
  'query-tables/postgres/tables.ts: INSERT INTO quipu_orders': 'writer',
  'query-tables/postgres/tables.ts: INSERT INTO quipu_requests': 'writer',
  'query-tables/postgres/tables.ts: INSERT INTO quipu_updates': 'writer',
}

const LITERAL = /`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'/g
const CHANGE = /\b(?:INSERT INTO|UPDATE|DELETE FROM) (?:quipu_(?:\w+|\$\{\w+\})|\$\{table\})/
const FENCED = /\bfence (?:=|<) \$\d|\bisHeld\(|\bwriter = \$\d|USING \(world, fence\)/

/** The changes of a source file that carry no fencing number. The longest beginning that is listed names them. */
function unfenced(file: string, source: string): readonly string[] {
  const texts = [...source.replaceAll(/^ *(?:\/\/|\*|\/\*\*).*$/gm, '').matchAll(LITERAL)].map(([text]) =>
    text.slice(1, -1).replaceAll(/\s+/g, ' ').trim(),
  )
  return texts.flatMap((text) => {
    const [change] = CHANGE.exec(text) ?? []
    if (!change || FENCED.test(text)) return []
    const name = `${file}: ${text}`
    const listed = Object.keys(exempt)
      .filter((one) => name.startsWith(one))
      .sort((a, b) => b.length - a.length)
    return [listed[0] ?? `${file}: ${change}`]
  })
}

const sources = globSync('**/*.ts', { cwd: SOURCE })
  .filter((file) => !file.endsWith('.spec.ts') && !file.includes('testing/'))
  .map((file) => [file, readFileSync(join(SOURCE, file), 'utf8')] as const)

test('every statement that changes rows of a world carries the fencing number of its journal', () => {
  const found = new Set(sources.flatMap(([file, source]) => unfenced(file, source)))
  assert.deepEqual([...found].sort(), Object.keys(exempt).sort())
})

test('a statement without a fencing number is refused', () => {
  const planted = "const text = 'DELETE FROM quipu_orders WHERE world = $1'"
  assert.deepEqual(unfenced('registry/planted.ts', planted), [
    'registry/planted.ts: DELETE FROM quipu_orders',
  ])
  const fenced = 'const text = `UPDATE quipu_query_tables SET mark = 1 WHERE world = $1 AND fence = $2`'
  assert.deepEqual(unfenced('registry/planted.ts', fenced), [])
})
