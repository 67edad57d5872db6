import { clusterStatements } from './cluster-statements.ts'
import { snapshotStatements } from './snapshot-statements.ts'
import {
  changed,
  type EventRow,
  found,
  type Head,
  nothing,
  type Outcome,
  type Statement,
  singleLine,
  sqlError,
  type Tables,
  type Values,
  withRow,
} from './tables.ts'

// Exactly the statements of journal, lease, cluster, migrations and snapshots. Any other statement is an error, so a change of
// the program without a change of this list is noticed.

const headRow = ({ seq, hash, fence }: Head) => ({ seq: String(seq), hash, fence: String(fence) })
const rowOfWorld = ([world]: Values): string => `head of ${world}`

const formats: Readonly<Record<string, Statement>> = {
  'SHOW server_encoding': { run: () => ({ rows: [{ server_encoding: 'UTF8' }], rowCount: null }) },
  "SELECT to_regclass('quipu_meta') IS NOT NULL AS there": {
    run: (tables) => found([{ there: tables.formats !== undefined }]),
  },
  'SELECT coalesce(max(format), 0) AS format FROM quipu_meta': {
    run: (tables) => found([{ format: Math.max(0, ...tables.formats!) }]),
  },
  'SELECT pg_advisory_xact_lock($1)': {
    run: () => found([{ pg_advisory_xact_lock: '' }]),
    locks: ([number]) => `advisory ${number}`,
  },
  'CREATE TABLE IF NOT EXISTS quipu_meta (format integer PRIMARY KEY, made timestamptz NOT NULL DEFAULT now())':
    { run: (tables) => changed({ ...tables, formats: tables.formats ?? [] }, null) },
  'INSERT INTO quipu_meta (format) VALUES ($1)': {
    run: (tables, [format]) => changed({ ...tables, formats: [...tables.formats!, format] }, 1),
  },
}

/** Changes only the end of the lease, and its holder if there is a new one. */
const renewal = (endMs: (nowMs: number) => number | null, isRelease = false): Statement => ({
  locks: rowOfWorld,
  run: (tables, [world, fence, holder, address], { nowMs }) => {
    const held = tables.journals.get(world)
    if (held?.fence !== fence) return changed(tables, 0)
    const successor = holder === undefined ? {} : { holder, address }
    const head = {
      ...held!,
      ...successor,
      fence: isRelease ? fence + 1 : fence,
      expiresAtMs: endMs(nowMs),
    }
    return changed({ ...tables, journals: withRow(tables.journals, world, head) }, 1)
  },
})

const release = (endMs: (nowMs: number) => number | null): Statement => renewal(endMs, true)

const LEASE_MS = 3_000
const oneLease = (nowMs: number): number => nowMs + LEASE_MS

/** Takes a journal that exists, if the fencing number is unchanged and the lease allows it. */
const take = (
  isFree: (held: Head, holder: string, nowMs: number) => boolean,
  endMs: (held: Head, nowMs: number) => number,
): Statement => ({
  locks: rowOfWorld,
  run: (tables, [world, holder, address, fence], { nowMs }) => {
    const held = tables.journals.get(world)
    if (held?.fence !== Number(fence) || !isFree(held, holder, nowMs)) return changed(tables, 0)
    const head = { ...held, fence: held.fence + 1, holder, address, expiresAtMs: endMs(held, nowMs) }
    return changed({ ...tables, journals: withRow(tables.journals, world, head) }, 1, [headRow(head)])
  },
})

const restMs = ({ expiresAtMs }: Head, nowMs: number): number =>
  Math.min(Math.max((expiresAtMs ?? nowMs) - nowMs, 0), LEASE_MS)

const lease: Readonly<Record<string, Statement>> = {
  'SELECT fence, market FROM quipu_journals WHERE world = $1': {
    run: (tables, [world]) => {
      const held = tables.journals.get(world)
      return found(held ? [{ fence: String(held.fence), market: held.market }] : [])
    },
  },
  [singleLine(`INSERT INTO quipu_journals (world, seq, hash, fence, holder, address, market, expires_at)
    VALUES ($1, 0, $4, 1, $2, $3, $5, clock_timestamp() + interval '3000 milliseconds')
    ON CONFLICT DO NOTHING RETURNING seq, hash, fence`)]: {
    locks: rowOfWorld,
    run: (tables, [world, holder, address, hash, market], { nowMs }) => {
      if (tables.journals.has(world)) return changed(tables, 0)
      const head = { seq: 0, hash, market, fence: 1, holder, address, expiresAtMs: oneLease(nowMs) }
      return changed({ ...tables, journals: withRow(tables.journals, world, head) }, 1, [headRow(head)])
    },
  },
  [singleLine(`UPDATE quipu_journals AS held SET fence = held.fence + 1, holder = $2, address = $3, taken_at = now(),
    expires_at = clock_timestamp() + interval '3000 milliseconds' +
    coalesce(least(greatest(held.expires_at - clock_timestamp(), interval '0'), interval '3000 milliseconds'), interval '0')
    WHERE world = $1 AND fence = $4 RETURNING seq, hash, fence`)]: take(
    () => true,
    (held, nowMs) => oneLease(nowMs) + restMs(held, nowMs),
  ),
  [singleLine(`UPDATE quipu_journals SET fence = fence + 1, holder = $2, address = $3, taken_at = now(),
    expires_at = clock_timestamp() + interval '3000 milliseconds'
    WHERE world = $1 AND fence = $4 AND (holder = $2 OR coalesce(expires_at <= clock_timestamp(), true))
    RETURNING seq, hash, fence`)]: take(
    ({ holder, expiresAtMs }, name, nowMs) => holder === name || (expiresAtMs ?? nowMs) <= nowMs,
    (_, nowMs) => oneLease(nowMs),
  ),
  [singleLine(`UPDATE quipu_journals SET fence = $3 WHERE world = $1 AND holder = $2 AND fence < $3
    RETURNING seq, hash, fence`)]: {
    locks: rowOfWorld,
    run: (tables, [world, holder, fence]) => {
      const held = tables.journals.get(world)
      if (!held || held.holder !== holder || held.fence >= fence) return changed(tables, 0)
      const head = { ...held, fence }
      return changed({ ...tables, journals: withRow(tables.journals, world, head) }, 1, [headRow(head)])
    },
  },
  // No simulation waits for a lease here: a world without nodes has a clock that stands still.
  [singleLine(`SELECT pg_sleep(greatest(0, extract(epoch FROM expires_at - clock_timestamp() -
    interval '3000 milliseconds'))) FROM quipu_journals WHERE world = $1`)]: {
    run: () => found([{ pg_sleep: '' }]),
  },
  "UPDATE quipu_journals SET expires_at = clock_timestamp() + interval '3000 milliseconds' WHERE world = $1 AND fence = $2":
    renewal(oneLease),
  'UPDATE quipu_journals SET expires_at = NULL WHERE world = $1 AND fence = $2': renewal(() => null),
  'UPDATE quipu_journals SET fence = fence + 1, expires_at = NULL WHERE world = $1 AND fence = $2': release(
    () => null,
  ),
  [singleLine(`UPDATE quipu_journals SET fence = fence + 1, holder = $3, address = $4, expires_at = clock_timestamp() +
    interval '3000 milliseconds' WHERE world = $1 AND fence = $2`)]: release(oneLease),
  [singleLine(`WITH free AS (
    SELECT world FROM quipu_journals JOIN unnest($1::text[], $2::bigint[]) AS mine (world, fence) USING (world, fence)
    FOR UPDATE OF quipu_journals SKIP LOCKED )
    UPDATE quipu_journals SET expires_at = clock_timestamp() + interval '3000 milliseconds' FROM free
    WHERE quipu_journals.world = free.world RETURNING quipu_journals.world`)]: {
    run: (tables, [worlds, fences], { nowMs, isLocked }) => {
      const isHeld = (world: string, at: number) => tables.journals.get(world)?.fence === fences[at]
      const free: readonly string[] = worlds
        .filter(isHeld)
        .filter((world: string) => !isLocked(rowOfWorld([world])))
      const journals = new Map(tables.journals)
      for (const world of free) journals.set(world, { ...journals.get(world)!, expiresAtMs: oneLease(nowMs) })
      return changed(
        { ...tables, journals },
        free.length,
        free.map((world) => ({ world })),
      )
    },
  },
  'SELECT holder FROM quipu_journals WHERE world = $1': {
    run: (tables, [world]) => {
      const held = tables.journals.get(world)
      return found(held ? [{ holder: held.holder }] : [])
    },
  },
}

/** Without its conditions, which are evaluated, so that a test fails if the program omits one. */
const appendGroup =
  /^WITH head AS \( UPDATE quipu_journals SET seq = \$4, hash = \$5, expires_at = clock_timestamp\(\) \+ interval '3000 milliseconds' WHERE (.*) RETURNING world \),/
const appendRest = singleLine(`seeds AS (
    INSERT INTO quipu_segments (world, segment, seed)
    SELECT head.world, begun.segment, begun.seed
    FROM head, unnest($8::integer[], $9::text[]) AS begun (segment, seed)
  )
  INSERT INTO quipu_events (world, seq, open, sealed)
  SELECT head.world, $3 + event.number, event.open, event.sealed
  FROM head, unnest($6::bytea[], $7::bytea[]) WITH ORDINALITY AS event (open, sealed, number)`)

function appendOf(words: string): Statement | undefined {
  const [start, conditions] = words.match(appendGroup) ?? []
  if (start === undefined || words.slice(start.length).trim() !== appendRest) return undefined
  const parsed = conditions!.split(' AND ').map(conditionOf)
  return {
    locks: rowOfWorld,
    run: (tables, values, { nowMs }) => {
      const head = tables.journals.get(values[0])
      const isMoved = head && parsed.every((condition) => condition({ world: values[0], ...head }, values))
      return isMoved ? append(tables, { ...head, expiresAtMs: oneLease(nowMs) }, values) : changed(tables, 0)
    },
  }
}

type Condition = (row: Readonly<Record<string, unknown>>, values: Values) => boolean

function conditionOf(text: string): Condition {
  const [, column, sign, number] = text.match(/^(\w+) (=|>=) \$(\d)$/) ?? []
  if (column === undefined)
    throw new Error(`bug: the double of PostgreSQL does not support this condition: ${text}`)
  return (row, values) => {
    const [stored, bound] = [row[column] as number, values[Number(number) - 1]]
    return sign === '=' ? stored === bound : stored >= bound
  }
}

const journal: Readonly<Record<string, Statement>> = {
  'SELECT open, sealed FROM quipu_events WHERE world = $1 AND seq > $2 AND seq <= $3 ORDER BY seq': {
    run: (tables, [world, after, to]) => found((tables.events.get(world) ?? []).slice(after, to)),
  },
  'SELECT segment, seed FROM quipu_segments WHERE world = $1 ORDER BY segment': {
    run: (tables, [world]) =>
      found((tables.segments.get(world) ?? []).map((seed, segment) => ({ segment, seed }))),
  },
  'SELECT 1': { run: () => found([{ '?column?': 1 }]) },
}

/** Checks the primary keys: an event and a segment exist once. */
function append(tables: Tables, head: Head, bound: Values): Outcome {
  const [world, , after, seq, hash, open, sealed, newSegments, seeds] = bound
  const group: EventRow[] = open.map((part: Buffer, index: number) => ({ open: part, sealed: sealed[index] }))
  const events = tables.events.get(world) ?? []
  const segments = tables.segments.get(world) ?? []
  const isNext = newSegments.every((segment: number, index: number) => segment === segments.length + index)
  if (after !== events.length || !isNext)
    throw sqlError('23505', 'duplicate key value violates unique constraint')
  return changed(
    {
      ...tables,
      journals: withRow(tables.journals, world, { ...head, seq, hash }),
      events: withRow(tables.events, world, [...events, ...group]),
      segments: withRow(tables.segments, world, [...segments, ...seeds]),
    },
    group.length,
  )
}

const statements: ReadonlyMap<string, Statement> = new Map(
  [formats, lease, journal, snapshotStatements, clusterStatements].flatMap((group) => Object.entries(group)),
)

/** The double starts with all tables and has no query planner. */
const isWithoutEffect = (text: string): boolean =>
  text.startsWith('CREATE TABLE quipu_journals ') ||
  text.startsWith('ALTER TABLE quipu_journals ') ||
  text.startsWith('CREATE TABLE quipu_history ') ||
  text.startsWith('CREATE TABLE quipu_addresses ') ||
  text.startsWith('CREATE TABLE quipu_worlds ') ||
  text.startsWith('CREATE TABLE quipu_backups ') ||
  text.startsWith('CREATE TABLE quipu_run_files ') ||
  text.startsWith('ALTER TABLE quipu_views RENAME ') ||
  text.startsWith('SET enable_seqscan = off; ') ||
  text.startsWith('SET LOCAL idle_in_transaction_session_timeout = ')

export function statementOf(text: string): Statement {
  const words = singleLine(text)
  if (isWithoutEffect(words)) return { run: () => nothing }
  const statement = statements.get(words) ?? appendOf(words)
  if (!statement) throw new Error(`bug: the double of PostgreSQL does not support this statement: ${words}`)
  return statement
}
