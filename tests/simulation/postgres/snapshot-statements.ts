import {
  changed,
  found,
  type Outcome,
  type Statement,
  singleLine,
  sqlError,
  type Tables,
  withRow,
} from './tables.ts'

/** The statements of snapshots. */
export const snapshotStatements: Readonly<Record<string, Statement>> = {
  'DELETE FROM quipu_snapshots WHERE world = $1 AND seq = $2': {
    run: (tables, [world, seq]) => keepSnapshots(tables, world, (other) => other !== Number(seq)),
  },
  'INSERT INTO quipu_snapshots (world, seq, line, body) VALUES ($1, $2, $3, $4)': {
    run: (tables, [world, seq, line, body]) => {
      const bySeq = tables.snapshots.get(world) ?? new Map()
      const lines = bySeq.get(seq) ?? new Map()
      if (lines.has(line)) throw sqlError('23505', 'duplicate key value violates unique constraint')
      const added = withRow(bySeq, seq, withRow(lines, line, body))
      return changed({ ...tables, snapshots: withRow(tables.snapshots, world, added) }, 1)
    },
  },
  [singleLine(`DELETE FROM quipu_snapshots WHERE world = $1 AND seq <= $2 AND seq NOT IN (
    SELECT DISTINCT seq FROM quipu_snapshots WHERE world = $1 AND seq <= $2 ORDER BY seq DESC LIMIT $3)`)]: {
    run: (tables, [world, written, keep]) => {
      const kept = newest(tables, world, written).slice(0, keep)
      return keepSnapshots(tables, world, (seq) => seq > Number(written) || kept.includes(seq))
    },
  },
  'SELECT seq, body FROM quipu_snapshots WHERE world = $1 AND line = 0 AND seq <= $2 ORDER BY seq DESC': {
    run: (tables, [world, upTo]) =>
      found(
        newest(tables, world, upTo).map((seq) => ({
          seq: String(seq),
          body: tables.snapshots.get(world)!.get(seq)!.get(0),
        })),
      ),
  },
  'SELECT body FROM quipu_snapshots WHERE world = $1 AND seq = $2 AND line >= $3 AND line < $4 ORDER BY line':
    {
      run: (tables, [world, seq, from, to]) => {
        const lines = tables.snapshots.get(world)?.get(Number(seq)) ?? new Map<number, string>()
        const some = [...lines].filter(([line]) => line >= from && line < to).sort(([a], [b]) => a - b)
        return found(some.map(([, body]) => ({ body })))
      },
    },
}

function newest(tables: Tables, world: string, upTo: number): readonly number[] {
  return [...(tables.snapshots.get(world)?.keys() ?? [])].filter((seq) => seq <= upTo).sort((a, b) => b - a)
}

function keepSnapshots(tables: Tables, world: string, isKept: (seq: number) => boolean): Outcome {
  const all = [...(tables.snapshots.get(world) ?? [])]
  const kept = all.filter(([seq]) => isKept(seq))
  const deleted = all.filter(([seq]) => !isKept(seq)).reduce((sum, [, lines]) => sum + lines.size, 0)
  return changed({ ...tables, snapshots: withRow(tables.snapshots, world, new Map(kept)) }, deleted)
}
