import { spawnSync } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Cluster } from '../../../broker/src/postgres/testing/server.ts'
import { withFolder } from '../quipu-process.ts'
import { type Row, rowsWith, type Size } from '../row.ts'
import { storedOrders } from '../stored-orders.ts'

const row = rowsWith('restore')
const program = join(import.meta.dirname, '../../../cli/bin/quipu.js')
/** Sizes around --orders. */
const FACTORS = [0.2, 1, 5]

/**
 * (restore) The commands of a restore by size, as an operator runs them: backup, restore, and the rebuild of the query
 * tables, which the first start does otherwise. Embedded, and with PostgreSQL. By the clock.
 */
export async function restoring({ orders }: Size): Promise<readonly Row[]> {
  const cluster = await Cluster.start()
  try {
    const rows: Row[] = []
    for (const factor of FACTORS) {
      const count = Math.round(orders * factor)
      const store = await cluster.database(`restore_${count}`)
      rows.push(...(await withFolder((folder) => restoreOf(count, folder, store))))
    }
    return rows
  } finally {
    await cluster.stop()
  }
}

async function restoreOf(orders: number, folder: string, store: string): Promise<readonly Row[]> {
  const [backup, data] = [join(folder, 'backup'), join(folder, 'data')]
  const made = quipu(['store', 'backup', backup, '--data', await storedOrders(orders, 'closed'), '--json'])
  const { seq } = JSON.parse(made.stdout) as { readonly seq: number }
  const bytes = globSync('journal/**', { cwd: backup }).reduce(
    (sum, file) => sum + statSync(join(backup, file)).size,
    0,
  )
  const of = `${orders} orders`
  const rows: Row[] = [
    row(`${of}: events`, seq),
    row(`${of}: MB of the backup`, bytes / 1e6),
    row(`${of}: backup, s`, made.seconds),
  ]
  const timesWith = (name: string, env: Readonly<Record<string, string>>) => {
    const target = ['--data', join(data, name)]
    const restore = quipu(['store', 'restore', backup, ...target], env).seconds
    const rebuild = quipu(['store', 'rebuild', ...target], env).seconds
    rows.push(
      row(`${of}, ${name}: restore, s`, restore),
      row(`${of}, ${name}: rebuild of the query tables, s`, rebuild),
    )
    return restore + rebuild
  }
  const embedded = timesWith('embedded', {})
  const postgres = timesWith('PostgreSQL', { QUIPU_STORE: store })
  return [...rows, row(`${of}: restore and rebuild, PostgreSQL / embedded`, postgres / embedded)]
}

/** Runs a command, and returns its output and its duration by the clock. */
function quipu(line: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const start = performance.now()
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...line], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`quipu ${line.join(' ')}: exit code ${status}\n${stderr}`)
  return { stdout, seconds: (performance.now() - start) / 1000 }
}
