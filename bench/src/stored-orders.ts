import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * What has become of the orders in store. `closed`: as in a broker's books, one in a hundred is still open, half were
 * filled and the others canceled. `open`: all of them rest.
 */
export type Fate = 'closed' | 'open'

/** Of so many orders one stays open where most are closed. */
export const ONE_OPEN_OF = 100

const made = new Map<string, Promise<string>>()

/** A data folder with so many orders, made once per run: whoever asks again gets it as the last one left it. */
export function storedOrders(orders: number, fate: Fate): Promise<string> {
  const name = `${orders} ${fate}`
  let folder = made.get(name)
  if (!folder) made.set(name, (folder = make(orders, fate)))
  return folder
}

async function make(orders: number, fate: Fate): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  // In a process of its own, because a million open orders take memory that the measures should not share.
  const child = fork(join(import.meta.dirname, 'stored-orders.child.ts'), [folder, String(orders), fate])
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the orders in store could not be made: exit ${code}`)
  return folder
}
