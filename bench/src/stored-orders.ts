import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * The final state of the stored orders. `closed`: one in a hundred is open, half are filled, the others canceled.
 * `open`: all of them rest.
 */
export type StoredState = 'closed' | 'open'

/** With `closed`, one order of this many stays open. */
export const ONE_OPEN_OF = 100

const folders = new Map<string, Promise<string>>()

/** A data folder with stored orders; later calls of a run return the same folder, with the changes made since. */
export function storedOrders(orders: number, state: StoredState): Promise<string> {
  const name = `${orders} ${state}`
  let folder = folders.get(name)
  if (!folder) folders.set(name, (folder = make(orders, state)))
  return folder
}

async function make(orders: number, state: StoredState): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  // A separate process, so that the memory of a million open orders does not affect the measurements.
  const child = fork(join(import.meta.dirname, 'stored-orders.child.ts'), [folder, String(orders), state])
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`creating the stored orders failed: exit ${code}`)
  return folder
}
