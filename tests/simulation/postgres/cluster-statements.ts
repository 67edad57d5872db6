import {
  changed,
  found,
  type NodeRow,
  type Outcome,
  type Statement,
  singleLine,
  type Tables,
  type Values,
  withoutRow,
  withRow,
} from './tables.ts'

// The statements of nodes in a cluster, of durable worlds and of openings. Rows of addresses and of key uses are not kept.

const MINUTE_MS = 60_000

const iso = (ms: number): Date => new Date(ms)

const nodes: Readonly<Record<string, Statement>> = {
  [singleLine(`INSERT INTO quipu_nodes (name, address, version, failures, draining, expires_at)
    VALUES ($1, $2, $3, $4, false, clock_timestamp() + interval '3000 milliseconds')
    ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at, failures = excluded.failures`)]: {
    run: (tables, [name, address, version, failures], { nowMs }) => {
      const first = { address, version, draining: false, startedAtMs: nowMs }
      const renewed = { failures: JSON.parse(failures), expiresAtMs: nowMs + 3_000 }
      return withNode(tables, name, { ...first, ...tables.nodes.get(name), ...renewed })
    },
  },
  'UPDATE quipu_nodes SET draining = $2 WHERE name = $1': {
    run: (tables, [name, draining]) => {
      const node = tables.nodes.get(name)
      return node ? withNode(tables, name, { ...node, draining }) : changed(tables, 0)
    },
  },
  'DELETE FROM quipu_nodes WHERE name = $1': {
    run: (tables, [name]) => changed({ ...tables, nodes: withoutRow(tables.nodes, name) }, 1),
  },
  [singleLine(`SELECT name, address, version, draining, failures, started_at AS "startedAt"
    FROM quipu_nodes WHERE expires_at > clock_timestamp() AND expires_at <= clock_timestamp() + interval '1 minute'
    ORDER BY name`)]: {
    run: (tables, _, { nowMs }) =>
      found(
        [...tables.nodes]
          .filter(([, { expiresAtMs }]) => expiresAtMs > nowMs && expiresAtMs <= nowMs + MINUTE_MS)
          .sort(byName)
          .map(([name, { startedAtMs, expiresAtMs: _, ...node }]) => {
            return { name, ...node, startedAt: iso(startedAtMs) }
          }),
      ),
  },
}

const withNode = (tables: Tables, name: string, node: NodeRow): Outcome =>
  changed({ ...tables, nodes: withRow(tables.nodes, name, node) }, 1)

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1

const worlds: Readonly<Record<string, Statement>> = {
  [singleLine(`SELECT stored.world, stored.record, journal.holder, journal.address, journal.taken_at, journal.seq, journal.fence,
      coalesce(journal.expires_at > clock_timestamp(), false) AS held, journal.expires_at AS lease,
      coalesce(journal.expires_at > clock_timestamp() + interval '1 minute', false) AS late
    FROM (
      SELECT 'main' AS world, NULL AS record, 'main' AS journal
      UNION ALL SELECT world, record, record::json ->> 'journal' FROM quipu_worlds WHERE record IS NOT NULL
    ) AS stored LEFT JOIN quipu_journals AS journal ON journal.world = stored.journal
    ORDER BY stored.record IS NOT NULL, stored.world`)]: {
    run: (tables, _, { nowMs }) => {
      const stored = [...tables.worlds].filter(([, { record }]) => record !== null).sort(byName)
      const others = stored.map(
        ([world, { record }]) => [world, record, JSON.parse(record!).journal] as const,
      )
      return found(
        [['main', null, 'main'] as const, ...others].map(([world, record, journal]) => {
          const head = tables.journals.get(journal)
          const endMs = head?.expiresAtMs ?? undefined
          const late = (endMs ?? nowMs) > nowMs + MINUTE_MS
          const lease = {
            held: (endMs ?? nowMs) > nowMs,
            lease: endMs === undefined ? null : iso(endMs),
            late,
          }
          if (!head)
            return {
              ...{ world, record, holder: null, address: null, taken_at: null, seq: null, fence: null },
              ...lease,
            }
          const { holder, address = null, seq, fence } = head
          const numbers = { seq: String(seq), fence: String(fence) }
          return { world, record, holder, address, taken_at: iso(0), ...numbers, ...lease }
        }),
      )
    },
  },
  // No run of the simulation takes ten minutes.
  [singleLine(`SELECT world FROM quipu_journals AS journal
    WHERE taken_at < now() - interval '10 minutes' AND coalesce(expires_at <= clock_timestamp(), true)
    AND NOT EXISTS (SELECT 1 FROM quipu_worlds WHERE record::json ->> 'journal' = journal.world)`)]: {
    run: () => found([]),
  },
  "DELETE FROM quipu_worlds WHERE record IS NULL AND reserved_at < now() - interval '10 minutes'": {
    run: (tables, _, { nowMs }) => {
      const kept = [...tables.worlds].filter(
        ([, { record, reservedAtMs }]) => record !== null || reservedAtMs >= nowMs - 600_000,
      )
      return changed({ ...tables, worlds: new Map(kept) }, tables.worlds.size - kept.length)
    },
  },
  'SELECT code FROM quipu_worlds': {
    run: (tables) => found([...tables.worlds.values()].map(({ code }) => ({ code }))),
  },
  'SELECT code FROM quipu_worlds WHERE world = $1': {
    run: (tables, values) => columns(tables, values, 'code'),
  },
  'SELECT record FROM quipu_worlds WHERE world = $1 AND record IS NOT NULL': {
    run: (tables, values) =>
      tables.worlds.get(values[0])?.record ? columns(tables, values, 'record') : found([]),
  },
  "SELECT 1 FROM quipu_worlds WHERE record::json ->> 'journal' = $1": {
    run: (tables, [journal]) =>
      found(
        [...tables.worlds.values()].filter(({ record }) => journalOf(record) === journal).map(() => ({})),
      ),
  },
  'INSERT INTO quipu_worlds (world, code) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING code': {
    run: (tables, [world, code], { nowMs }) => {
      const isUsed = tables.worlds.has(world) || [...tables.worlds.values()].some((row) => row.code === code)
      if (isUsed) return changed(tables, 0)
      const row = { code, record: null, reservedAtMs: nowMs }
      return changed({ ...tables, worlds: withRow(tables.worlds, world, row) }, 1, [{ code }])
    },
  },
  [singleLine(`UPDATE quipu_worlds SET record = $3 WHERE world = $1 AND code = $2
    AND record::json ->> 'journal' IS NOT DISTINCT FROM $4::text
    AND EXISTS (SELECT 1 FROM quipu_journals WHERE world = $5 AND fence = $6 FOR SHARE)
    AND EXISTS (SELECT 1 FROM quipu_journals WHERE world = $7 AND fence = $8 FOR SHARE)`)]: {
    run: (tables, [world, code, record, earlier, ...fences]) => {
      const row = tables.worlds.get(world)
      const isHeld = [0, 2].every((at) => tables.journals.get(fences[at])?.fence === fences[at + 1])
      if (row?.code !== code || journalOf(row?.record) !== earlier || !isHeld) return changed(tables, 0)
      return changed({ ...tables, worlds: withRow(tables.worlds, world, { ...row!, record }) }, 1)
    },
  },
  [singleLine(`DELETE FROM quipu_worlds WHERE world = $1 AND code = $2
    AND coalesce(record::json ->> 'journal', $3) = $3`)]: {
    run: (tables, [world, code, journal]) => {
      const row = tables.worlds.get(world)
      if (row?.code !== code || (journalOf(row?.record) ?? journal) !== journal) return changed(tables, 0)
      return changed({ ...tables, worlds: withoutRow(tables.worlds, world) }, 1)
    },
  },
  // Only a mutation sends it: it deletes whatever world has the name.
  'DELETE FROM quipu_worlds WHERE world = $1': {
    run: (tables, [world]) =>
      changed({ ...tables, worlds: withoutRow(tables.worlds, world) }, tables.worlds.has(world) ? 1 : 0),
  },
}

const journalOf = (record: string | null | undefined): string | null =>
  record ? JSON.parse(record).journal : null

/** The rows of a journal that is deleted. The double has no query tables. */
const deletions: Readonly<Record<string, Statement>> = {
  'SELECT fence FROM quipu_journals WHERE world = $1 AND fence = $2 FOR UPDATE': {
    locks: ([world]) => `head of ${world}`,
    run: (tables, [world, fence]) =>
      found(tables.journals.get(world)?.fence === fence ? [{ fence: String(fence) }] : []),
  },
  'SELECT market FROM quipu_journals WHERE world = $1': {
    run: (tables, [world]) => {
      const head = tables.journals.get(world)
      return found(head ? [{ market: head.market }] : [])
    },
  },
  ...Object.fromEntries(
    ['query_tables', 'orders', 'requests', 'history', 'updates', 'refusals'].map((table) => [
      `DELETE FROM quipu_${table} WHERE world = $1`,
      { run: (tables: Tables) => changed(tables, 0) },
    ]),
  ),
  ...Object.fromEntries(
    (['snapshots', 'segments', 'events', 'journals'] as const).map((table) => [
      `DELETE FROM quipu_${table} WHERE world = $1`,
      {
        run: (tables: Tables, [world]: Values) => {
          const rows: ReadonlyMap<string, unknown> = tables[table]
          return changed({ ...tables, [table]: withoutRow(rows, world) }, rows.has(world) ? 1 : 0)
        },
      },
    ]),
  ),
}

function columns(tables: Tables, [world]: Values, name: 'code' | 'record'): Outcome {
  const row = tables.worlds.get(world)
  return found(row ? [{ [name]: row[name] }] : [])
}

const heads: Readonly<Record<string, Statement>> = {
  [singleLine(`UPDATE quipu_journals SET expires_at = clock_timestamp() + interval '3000 milliseconds'
    WHERE expires_at > clock_timestamp() + interval '1 minute'`)]: {
    run: (tables, _, { nowMs }) => {
      const late = [...tables.journals].filter(
        ([, { expiresAtMs }]) => (expiresAtMs ?? 0) > nowMs + MINUTE_MS,
      )
      const journals = new Map(tables.journals)
      for (const [world, head] of late) journals.set(world, { ...head, expiresAtMs: nowMs + 3_000 })
      return changed({ ...tables, journals }, late.length)
    },
  },
  'SELECT seq FROM quipu_journals WHERE world = $1': {
    run: (tables, [world]) => {
      const head = tables.journals.get(world)
      return found(head ? [{ seq: String(head.seq) }] : [])
    },
  },
  [singleLine(`SELECT coalesce((SELECT seq FROM quipu_journals WHERE world = $1), 0) AS end,
    (SELECT position FROM quipu_query_tables WHERE world = $1) AS quipu_query_tables,
    (SELECT max(seq) FROM quipu_snapshots WHERE world = $1) AS quipu_snapshots,
    (SELECT max(seq) FROM quipu_events WHERE world = $1) AS quipu_events`)]: {
    run: (tables, [world]) => {
      const [end, events] = [tables.journals.get(world)?.seq ?? 0, tables.events.get(world)?.length]
      const ahead = {
        quipu_query_tables: null,
        quipu_snapshots: null,
        quipu_events: events?.toString() ?? null,
      }
      return found([{ end: String(end), ...ahead }])
    },
  },
  [singleLine(`SELECT journal.seq, coalesce(tables.position, 0) AS position
    FROM quipu_journals AS journal LEFT JOIN quipu_query_tables AS tables USING (world) WHERE world = $1`)]: {
    run: (tables, [world]) => {
      const head = tables.journals.get(world)
      return found(head ? [{ seq: String(head.seq), position: '0' }] : [])
    },
  },
  'SELECT seq, body FROM quipu_snapshots WHERE world = $1 AND line = 0 ORDER BY seq DESC LIMIT 1': {
    run: () => found([]),
  },
  "SELECT name FROM pg_settings WHERE name = ANY($1) AND reset_val = 'off' ORDER BY name": {
    run: () => found([]),
  },
}

const access: Readonly<Record<string, Statement>> = {
  [singleLine(`INSERT INTO quipu_addresses (world, ref, address)
    SELECT $1, * FROM unnest($2::text[], $3::text[]) ON CONFLICT DO NOTHING`)]: {
    run: (tables, [, refs]) => changed(tables, refs.length),
  },
  'SELECT DISTINCT left(ref, 8) AS day FROM quipu_addresses WHERE world = $1 ORDER BY day': {
    run: () => found([]),
  },
  'SELECT key, used FROM quipu_key_uses WHERE world = $1': { run: () => found([]) },
  [singleLine(`INSERT INTO quipu_key_uses AS known (world, key, used)
    SELECT $1, * FROM unnest($2::text[], $3::text[])
    ON CONFLICT (world, key) DO UPDATE SET used = excluded.used`)]: {
    run: (tables, [, keys]) => changed(tables, keys.length),
  },
}

const refusals: Readonly<Record<string, Statement>> = {
  [singleLine(`INSERT INTO quipu_refusals (world, request, record)
    SELECT $1, * FROM unnest($2::text[], $3::text[]) ON CONFLICT DO NOTHING`)]: {
    run: (tables, [, requests]) => changed(tables, requests.length),
  },
  [singleLine(`DELETE FROM quipu_refusals WHERE world = $1 AND number <= (
    SELECT number FROM quipu_refusals WHERE world = $1 ORDER BY number DESC OFFSET $2 LIMIT 1)`)]: {
    run: (tables) => changed(tables, 0),
  },
}

export const clusterStatements = { ...nodes, ...worlds, ...deletions, ...heads, ...access, ...refusals }
